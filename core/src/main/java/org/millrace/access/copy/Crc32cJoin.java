package org.millrace.access.copy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/**
 * Computes the checksum of a whole from the checksums of its parts, without the bytes. Stateless.
 *
 * <p>A CRC is linear over GF(2): appending bytes multiplies what was there by a power of x modulo
 * the polynomial. The power is found by squaring, as zlib's {@code crc32_combine} does it.
 */
public final class Crc32cJoin {

  /** The polynomial of CRC32C, lowest power first: bit 31 is x^0. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private static final int ONE = 1 << 31;

  private static final int BUFFER_BYTES = 16 << 10;

  /** The checksum of one byte of zero. */
  private static final int ONE_ZERO = 0x527D5351;

  private Crc32cJoin() {}

  /** The checksum of some bytes. */
  public static int of(MemorySegment bytes) {
    CRC32C crc = new CRC32C();
    update(crc, bytes);
    return (int) crc.getValue();
  }

  /** Adds bytes to a checksum, by way of a small buffer, since it does not take doubles. */
  public static void update(CRC32C crc, MemorySegment bytes) {
    byte[] buffer = new byte[BUFFER_BYTES];
    for (long at = 0; at < bytes.byteSize(); at += BUFFER_BYTES) {
      int count = (int) Math.min(BUFFER_BYTES, bytes.byteSize() - at);
      MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, buffer, 0, count);
      crc.update(buffer, 0, count);
    }
  }

  /** The checksum of {@code first}'s bytes followed by {@code second}'s. */
  public static int join(int first, int second, long secondBytes) {
    int shift = ONE;
    int power = ONE >>> 8; // x^8: one byte
    for (long bytes = secondBytes; bytes > 0; bytes >>= 1) {
      if ((bytes & 1) != 0) {
        shift = multiply(shift, power);
      }
      power = multiply(power, power);
    }
    return multiply(first, shift) ^ second;
  }

  /** The checksum of {@code first}'s bytes followed by so many zeros. */
  public static int joinZeros(int first, long zeros) {
    int all = first;
    int power = ONE_ZERO; // of 1, 2, 4, ... zeros
    for (long bytes = 1; bytes > 0 && bytes <= zeros; bytes <<= 1) {
      if ((zeros & bytes) != 0) {
        all = join(all, power, bytes);
      }
      power = join(power, power, bytes);
    }
    return all;
  }

  /** The product of two polynomials modulo that of the checksum. */
  private static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int bit = ONE; bit != 0; bit >>>= 1) {
      if ((a & bit) != 0) {
        product ^= shifted;
      }
      shifted = (shifted >>> 1) ^ ((shifted & 1) != 0 ? POLYNOMIAL : 0);
    }
    return product;
  }
}
