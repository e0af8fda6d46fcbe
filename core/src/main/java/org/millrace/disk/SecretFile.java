package org.millrace.disk;

import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The file of a cluster's secret: hexadecimal digits that its owner alone may read. No message of
 * this class shows any of them. Stateless.
 */
public final class SecretFile {

  private static final String NAME = "secret";
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private SecretFile() {}

  /** The secret of the cluster in {@code directory}; empty if it has none, or is another user's. */
  public static Optional<byte[]> read(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    if (!Files.isReadable(file)) {
      return Optional.empty();
    }
    try {
      if (Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
        throw new MillraceException(
            ErrorCode.NOT_PERMITTED, file + " is open to others; let its owner do: chmod 600");
      }
      byte[] secret = HexFormat.of().parseHex(Files.readString(file).strip());
      if (secret.length == 0) {
        throw new IllegalArgumentException("empty");
      }
      return Optional.of(secret);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.INVALID,
          file
              + " is not a secret file of Millrace; if it is removed while no process of the"
              + " cluster runs, the next one to start makes another");
    } catch (IOException e) {
      throw FileErrors.of(file, "cannot read", e);
    }
  }

  /**
   * As {@link #read}; if there is none, a new one is made of what {@code fresh} gives. It is
   * durable when this returns.
   */
  public static byte[] readOrMake(Path directory, Supplier<byte[]> fresh) throws IOException {
    Path file = directory.resolve(NAME);
    if (!Files.exists(file)) {
      make(directory, file, fresh.get());
    }
    return read(directory)
        .orElseThrow(
            () -> new MillraceException(ErrorCode.NOT_PERMITTED, file + " cannot be read"));
  }

  private static void make(Path directory, Path file, byte[] secret) throws IOException {
    Path fresh = directory.resolve("." + NAME + "." + ProcessHandle.current().pid());
    try {
      Files.deleteIfExists(fresh); // of a process of this number that was killed
      Files.createFile(fresh, PosixFilePermissions.asFileAttribute(OWNER));
      Files.writeString(fresh, HexFormat.of().formatHex(secret) + "\n", WRITE, SYNC);
      try {
        Files.createLink(file, fresh); // whole at once, and never in another's place
      } catch (FileAlreadyExistsException e) {
        return; // another process was first: its secret counts
      } catch (UnsupportedOperationException e) {
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      }
      FileDisk.forceNames(directory);
    } catch (IOException e) {
      throw FileErrors.of(file, "cannot make", e);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }
}
