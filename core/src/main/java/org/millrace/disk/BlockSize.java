package org.millrace.disk;

/**
 * Which blocks a strand may have: a power of two from {@link #MIN_BYTES} to {@link #MAX_BYTES}. The
 * bounds are part of the format. Stateless.
 */
public final class BlockSize {

  /** A page of memory; less would make the sums larger than what they guard is worth. */
  public static final int MIN_BYTES = 4 << 10;

  /** Unless a file says otherwise, and for all strands made before a file could. */
  public static final int DEFAULT_BYTES = 64 << 10;

  /** More would let one block take most of a small cache. */
  public static final int MAX_BYTES = 4 << 20;

  private BlockSize() {}

  /** Whether a strand may have blocks of so many bytes. */
  static boolean isValid(long bytes) {
    return bytes >= MIN_BYTES && bytes <= MAX_BYTES && Long.bitCount(bytes) == 1;
  }

  /** Throws unless a strand may have blocks of so many bytes. */
  static int require(int bytes) {
    if (!isValid(bytes)) {
      throw new IllegalArgumentException(
          "blocks of "
              + bytes
              + " bytes, must be a power of two from "
              + MIN_BYTES
              + " to "
              + MAX_BYTES);
    }
    return bytes;
  }
}
