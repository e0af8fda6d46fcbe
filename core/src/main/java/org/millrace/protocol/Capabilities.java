package org.millrace.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import org.millrace.message.Encoder;
import org.millrace.wire.Secret;

/**
 * Seals capabilities and checks seals. The seal covers a prefix and every field of the capability,
 * with its length where that varies, so that no two capabilities, and nothing else that the same
 * secret seals, give the same bytes. Stateless.
 */
public final class Capabilities {

  private static final String WHAT = "millrace capability 2";
  private static final String ASKING = "millrace asking 1";

  private Capabilities() {}

  /** A capability with its seal. */
  public static Capability seal(
      Secret secret,
      long file,
      long open,
      boolean read,
      boolean write,
      String user,
      long expiresMillis) {
    Capability bare = new Capability(file, open, read, write, user, expiresMillis, "");
    String seal = secret.seal(text(bare));
    return new Capability(file, open, read, write, user, expiresMillis, seal);
  }

  /** Whether the seal is that of this capability. */
  public static boolean isSealed(Secret secret, Capability capability) {
    return secret.sealed(text(capability), capability.seal());
  }

  /** A right to ask about files, with its seal. */
  public static Asking seal(Secret secret, String user, long expiresMillis, List<Long> files) {
    return new Asking(user, expiresMillis, secret.seal(text(user, expiresMillis, files)));
  }

  /** Whether the seal is that of this right and of these files. */
  public static boolean isSealed(Secret secret, Asking asking, List<Long> files) {
    return secret.sealed(text(asking.user(), asking.expiresMillis(), files), asking.seal());
  }

  private static byte[] text(String user, long expiresMillis, List<Long> files) {
    Encoder encoder = new Encoder();
    encoder.putText(ASKING).putText(user).putLong(expiresMillis).putInt(files.size());
    files.forEach(encoder::putLong);
    return bytes(encoder);
  }

  private static byte[] bytes(Encoder encoder) {
    ByteBuffer written = encoder.written();
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }

  private static byte[] text(Capability capability) {
    Encoder encoder = new Encoder();
    encoder
        .putText(WHAT)
        .putLong(capability.file())
        .putLong(capability.open())
        .putBoolean(capability.read())
        .putBoolean(capability.write())
        .putText(capability.user())
        .putLong(capability.expiresMillis());
    return bytes(encoder);
  }
}
