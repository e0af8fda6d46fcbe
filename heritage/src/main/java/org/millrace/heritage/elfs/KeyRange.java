package org.millrace.heritage.elfs;

/**
 * The numbers that are looked for in one dimension: from a lower to an upper bound, both included.
 * A lower bound above the upper one means none. Immutable.
 *
 * @param lower an Integer, Long, Float or Double
 * @param upper an Integer, Long, Float or Double
 */
public record KeyRange(Number lower, Number upper) {

  /** Refuses what is not a number. */
  public KeyRange {
    checkKind(lower);
    checkKind(upper);
    if (Double.isNaN(lower.doubleValue()) || Double.isNaN(upper.doubleValue())) {
      throw new IllegalArgumentException("a range from " + lower + " to " + upper);
    }
  }

  private static void checkKind(Number bound) {
    if (!(isWhole(bound) || bound instanceof Double || bound instanceof Float)) {
      throw new IllegalArgumentException("a bound of " + bound.getClass());
    }
  }

  static boolean isWhole(Number bound) {
    return bound instanceof Integer || bound instanceof Long;
  }

  /** From one number to another. */
  public static KeyRange between(Number lower, Number upper) {
    return new KeyRange(lower, upper);
  }

  /** One number. */
  public static KeyRange at(Number value) {
    return new KeyRange(value, value);
  }

  /** A number and all above. */
  public static KeyRange atLeast(Number lower) {
    return new KeyRange(lower, Double.POSITIVE_INFINITY);
  }

  /** A number and all below. */
  public static KeyRange atMost(Number upper) {
    return new KeyRange(Double.NEGATIVE_INFINITY, upper);
  }

  /** All numbers. */
  public static KeyRange all() {
    return new KeyRange(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
  }
}
