package org.millrace.disk;

/**
 * Which blocks a strand may have: a power of two from {@link #LEAST_BYTES} to {@link #MOST_BYTES}.
 * The bounds are part of the format. Stateless.
 */
public final class BlockSize {

  /** A page of memory; less would make the sums larger than what they guard is worth. */
  public static final int LEAST_BYTES = 4 << 10;

  /** Unless a file says otherwise, and for all strands made before a file could. */
  public static final int DEFAULT_BYTES = 64 << 10;

  /** More would let one block take most of a small cache. */
  public static final int MOST_BYTES = 4 << 20;

  private BlockSize() {}

  /** Whether a strand may have blocks of so many bytes. */
  static boolean isValid(long bytes) {
    return bytes >= LEAST_BYTES && bytes <= MOST_BYTES && Long.bitCount(bytes) == 1;
  }

  /** Throws unless a strand may have blocks of so many bytes. */
  static int require(int bytes) {
    if (!isValid(bytes)) {
      throw new IllegalArgumentException(
          "blocks of "
              + bytes
              + " bytes, must be a power of two from "
              + LEAST_BYTES
              + " to "
              + MOST_BYTES);
    }
    return bytes;
  }
}
