package org.millrace.protocol;

import java.nio.ByteBuffer;
import org.millrace.message.Encoder;
import org.millrace.wire.Secret;

/**
 * Seals capabilities and checks seals. The seal covers a prefix and every field of the capability,
 * with its length where that varies, so that no two capabilities, and nothing else that the same
 * secret seals, give the same bytes. Stateless.
 */
public final class Capabilities {

  private static final String WHAT = "millrace capability 2";

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
    ByteBuffer written = encoder.written();
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }
}
