package org.millrace.cli.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** A file with the token of a server, which its owner alone can read. Stateless. */
public final class TokenFile {

  private static final int TOKEN_BYTES = 32;
  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private TokenFile() {}

  /** The token in a file that the user has made; a new one if there is no file. */
  public static String readOrMake(Env env, Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return make(env, file);
    }
    if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "others than its owner may use %1$s; keep it private with: chmod 600 %1$s"
              .formatted(file));
    }
    return Files.readString(file).strip();
  }

  /** A new token in a new file. */
  public static String make(Env env, Path file) throws IOException {
    Files.deleteIfExists(file);
    String token = HexFormat.of().formatHex(env.secretBytes(TOKEN_BYTES));
    Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNERS));
    Files.writeString(file, token + "\n", StandardOpenOption.WRITE);
    return token;
  }
}
