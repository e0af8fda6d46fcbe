package org.millrace.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that is never shown. It seals texts, and recognizes its own seals. Immutable; safe for use
 * by several threads.
 */
public final class Secret {

  /** How long a key is, in bytes. */
  public static final int BYTES = 32;

  private static final String HASH = "HmacSHA256";

  private final SecretKeySpec key;

  /** The secret with these bytes, which are copied. */
  public Secret(byte[] bytes) {
    if (bytes.length < BYTES) {
      throw new IllegalArgumentException(
          "a secret of " + bytes.length + " bytes is shorter than " + BYTES);
    }
    this.key = new SecretKeySpec(Arrays.copyOf(bytes, bytes.length), HASH);
  }

  /** The seal of {@code text}, as hexadecimal digits. */
  public String seal(byte[] text) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(text));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HASH, e);
    }
  }

  /** Whether {@code seal} is the seal of {@code text}; takes as long if it is not. */
  public boolean sealed(byte[] text, String seal) {
    return MessageDigest.isEqual(seal(text).getBytes(UTF_8), seal.getBytes(UTF_8));
  }

  @Override
  public String toString() {
    return "a secret";
  }
}
