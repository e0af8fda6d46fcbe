package org.millrace.access;

/**
 * Indices of one dimension: lower, lower + stride, ... up to and including upper at most, as
 * Fortran's {@code l:u:s} with indices from 0. A range whose upper is below its lower is empty.
 * Ranges are kept in normal form: upper is the last index selected, a range of one has stride 1,
 * and all empty ranges are {@link #EMPTY}. Immutable.
 *
 * @param lower the first index, not negative
 * @param upper the last index that may be selected
 * @param stride from one index to the next, at least 1
 */
public record Range(long lower, long upper, long stride) {

  /** No index. */
  public static final Range EMPTY = new Range(0, -1, 1);

  /** Checks and normalizes. */
  public Range {
    if (stride < 1) {
      throw new IllegalArgumentException(
          "stride " + stride + " of range " + lower + ":" + upper + " is below 1");
    }
    if (upper < lower) {
      lower = 0;
      upper = -1;
      stride = 1;
    } else if (lower < 0 || upper == Long.MAX_VALUE) {
      throw new IllegalArgumentException(
          "range " + lower + ":" + upper + ":" + stride + " is not within 0 to 2^63-2");
    } else {
      upper -= (upper - lower) % stride;
      stride = upper == lower ? 1 : stride;
    }
  }

  /** All indices from lower to upper, both included. */
  public static Range of(long lower, long upper) {
    return new Range(lower, upper, 1);
  }

  /** One index. */
  public static Range at(long index) {
    return new Range(index, index, 1);
  }

  /** All indices of a dimension of n. */
  public static Range all(long n) {
    return new Range(0, n - 1, 1);
  }

  /** How many indices are selected. */
  public long count() {
    return isEmpty() ? 0 : (upper - lower) / stride + 1;
  }

  /** Whether none is. */
  public boolean isEmpty() {
    return upper < lower;
  }

  /** Whether an index is selected. */
  public boolean contains(long index) {
    return index >= lower && index <= upper && (index - lower) % stride == 0;
  }

  /** The indices in both: again a range, by the Chinese remainder theorem. */
  public Range intersect(Range other) {
    long from = Math.max(lower, other.lower);
    long to = Math.min(upper, other.upper);
    if (from > to) {
      return EMPTY;
    }
    // The first of our own indices at or above the other's start, then the first of those that
    // is the other's, too.
    long mine = lower + Math.ceilDiv(from - lower, stride) * stride;
    if (mine < 0 || mine > to) {
      return EMPTY;
    }
    long turns = Residues.firstTouch(mine - other.lower, stride, 1, other.stride, 1);
    if (turns > (to - mine) / stride) {
      return EMPTY;
    }
    long first = mine + turns * stride;
    long common = stride / gcd(stride, other.stride);
    return common > (to - first) / other.stride
        ? at(first)
        : new Range(first, to, common * other.stride);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Reads {@code l}, {@code l:u} or {@code l:u:s}. */
  public static Range parse(String text) {
    String[] parts = text.strip().split(":", -1);
    try {
      long lower = Long.parseLong(parts[0].strip());
      return switch (parts.length) {
        case 1 -> at(lower);
        case 2 -> of(lower, Long.parseLong(parts[1].strip()));
        case 3 ->
            new Range(lower, Long.parseLong(parts[1].strip()), Long.parseLong(parts[2].strip()));
        default -> throw new IllegalArgumentException("range '" + text + "' is not l:u:s");
      };
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("range '" + text + "' is not l:u:s", e);
    }
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return stride == 1 ? lower + ":" + upper : lower + ":" + upper + ":" + stride;
  }
}
