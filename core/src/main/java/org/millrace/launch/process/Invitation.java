package org.millrace.launch.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import org.millrace.disk.SecretFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

/**
 * What a rank must know to take part in a cluster of peers whose directory it does not see: two
 * lines, the coordinator's address and the secret in hexadecimal digits. Immutable; no message of
 * this class shows the secret.
 *
 * @param coordinator its address
 * @param secret of the cluster, in hexadecimal digits
 */
record Invitation(Address coordinator, String secret) {

  /** To the cluster in {@code directory}, which has a secret. */
  static Invitation to(Address coordinator, Path directory) throws IOException {
    byte[] secret =
        SecretFile.read(directory)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.NOT_PERMITTED, "there is no secret in " + directory));
    return new Invitation(coordinator, HexFormat.of().formatHex(secret));
  }

  static Invitation parse(String text) throws MillraceException {
    String[] lines = text.split("\n", -1);
    try {
      if (lines.length == 2) {
        HexFormat.of().parseHex(lines[1]);
        return new Invitation(Address.parse(lines[0]), lines[1]);
      }
    } catch (IllegalArgumentException e) {
      // its message might show the secret
    }
    throw new MillraceException(
        ErrorCode.INVALID, "what rank 0 is said to have said is no address with a secret");
  }

  String text() {
    return coordinator + "\n" + secret;
  }

  byte[] secretBytes() {
    return HexFormat.of().parseHex(secret);
  }

  @Override
  public String toString() {
    return "invitation to " + coordinator;
  }
}
