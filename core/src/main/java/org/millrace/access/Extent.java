package org.millrace.access;

/**
 * Consecutive bytes of a file: where they start and how many they are. Immutable.
 *
 * @param offset the first byte, not negative
 * @param length how many bytes, not negative; offset + length fits in a {@code long}
 */
public record Extent(long offset, long length) {

  /** Checks that the extent lies between 0 and the largest {@code long}. */
  public Extent {
    if (offset < 0) {
      throw new IllegalArgumentException("extent offset " + offset + " is negative");
    }
    if (length < 0) {
      throw new IllegalArgumentException("extent length " + length + " is negative");
    }
    if (length > Long.MAX_VALUE - offset) {
      throw new IllegalArgumentException(
          "extent of " + length + " bytes at " + offset + " ends beyond " + Long.MAX_VALUE);
    }
  }

  /** The bytes from {@code from} to before {@code to}. */
  public static Extent between(long from, long to) {
    if (to < from) {
      throw new IllegalArgumentException("extent end " + to + " is below its start " + from);
    }
    return new Extent(from, to - from);
  }

  /** One past the last byte. */
  public long end() {
    return offset + length;
  }

  /** Whether there is not a byte in it. */
  public boolean isEmpty() {
    return length == 0;
  }

  /** The bytes in both; an empty extent at the higher of the two starts if there are none. */
  public Extent intersect(Extent other) {
    long from = Math.max(offset, other.offset);
    return new Extent(from, Math.max(0, Math.min(end(), other.end()) - from));
  }
}
