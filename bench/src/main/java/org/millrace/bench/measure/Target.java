package org.millrace.bench.measure;

import java.util.Locale;

/**
 * What a row should reach. Immutable.
 *
 * @param of which number of the row is compared
 * @param bound what it is compared with
 */
public record Target(Of of, double bound) {

  /** Nothing to reach: the row is itself a limit, or there for information. */
  public static final Target NONE = new Target(Of.NOTHING, 0);

  /** Which number is compared, and how. */
  public enum Of {
    /** None. */
    NOTHING,
    /** The ratio to the limit must be at least the bound. */
    RATIO_AT_LEAST,
    /** The ratio to the limit must be at most the bound. */
    RATIO_AT_MOST,
    /** The value must be at least the bound. */
    VALUE_AT_LEAST,
    /** The value must be at most the bound. */
    VALUE_AT_MOST
  }

  /** The ratio to the limit must be at least this. */
  public static Target ratio(double atLeast) {
    return new Target(Of.RATIO_AT_LEAST, atLeast);
  }

  /** The ratio to the limit must be at most this. */
  public static Target ratioAtMost(double atMost) {
    return new Target(Of.RATIO_AT_MOST, atMost);
  }

  /** The value must be at least this. */
  public static Target atLeast(double value) {
    return new Target(Of.VALUE_AT_LEAST, value);
  }

  /** The value must be at most this. */
  public static Target atMost(double value) {
    return new Target(Of.VALUE_AT_MOST, value);
  }

  /** How people read it. */
  public String format(Unit unit) {
    return switch (of) {
      case NOTHING -> "-";
      case RATIO_AT_LEAST -> String.format(Locale.ROOT, ">= %.2f", bound);
      case RATIO_AT_MOST -> String.format(Locale.ROOT, "<= %.2f", bound);
      case VALUE_AT_LEAST -> ">= " + unit.format(bound);
      case VALUE_AT_MOST -> "<= " + unit.format(bound);
    };
  }
}
