package org.millrace.bench.measure;

import java.util.OptionalDouble;

/**
 * One line of the result. Immutable.
 *
 * @param benchmark the benchmark it belongs to
 * @param what what was measured
 * @param value the median of all laps; empty if it was skipped
 * @param unit of value and limit
 * @param limit the median of what the machine itself does, where that was measured
 * @param ratio the median, over the laps, of value to limit of the same lap
 * @param target what it should reach
 * @param note what the reader must know; may be empty
 */
public record Row(
    String benchmark,
    String what,
    OptionalDouble value,
    Unit unit,
    OptionalDouble limit,
    OptionalDouble ratio,
    Target target,
    String note) {

  /** How a row ended. */
  public enum Verdict {
    /** The target is reached. */
    OK,
    /** A number that should be large is not. */
    BELOW,
    /** A number that should be small is not. */
    ABOVE,
    /** There is no target. */
    INFO,
    /** It could not be measured here. */
    SKIPPED;

    /** As it is printed. */
    public String word() {
      return this == INFO ? "-" : name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** A row without a limit. */
  public static Row of(String benchmark, String what, double value, Unit unit, Target target) {
    var none = OptionalDouble.empty();
    return new Row(benchmark, what, OptionalDouble.of(value), unit, none, none, target, "");
  }

  /** A row that could not be measured. */
  public static Row skipped(String benchmark, String what, Unit unit, Target target, String why) {
    var none = OptionalDouble.empty();
    return new Row(benchmark, what, none, unit, none, none, target, why);
  }

  /** A row of rates, lap by lap against those of a limit. */
  public static Row of(
      String benchmark, String what, Series series, Unit unit, Series limit, Target target) {
    return new Row(
        benchmark,
        what,
        OptionalDouble.of(series.median()),
        unit,
        OptionalDouble.of(limit.median()),
        OptionalDouble.of(series.ratioTo(limit)),
        target,
        series.isSpread() || limit.isSpread() ? Busy.WORD + ": laps differ" : "");
  }

  /** The same with a note behind those that it has. */
  public Row withNote(String more) {
    String all = note.isEmpty() || more.isEmpty() ? note + more : note + "; " + more;
    return new Row(benchmark, what, value, unit, limit, ratio, target, all);
  }

  /** Whether the target is reached. */
  public Verdict verdict() {
    if (value.isEmpty()) {
      return Verdict.SKIPPED;
    }
    double measured = value.getAsDouble();
    return switch (target.of()) {
      case NOTHING -> Verdict.INFO;
      case RATIO_AT_LEAST -> ratio.orElse(0) >= target.bound() ? Verdict.OK : Verdict.BELOW;
      case RATIO_AT_MOST ->
          ratio.orElse(Double.MAX_VALUE) <= target.bound() ? Verdict.OK : Verdict.ABOVE;
      case VALUE_AT_LEAST -> measured >= target.bound() ? Verdict.OK : Verdict.BELOW;
      case VALUE_AT_MOST -> measured <= target.bound() ? Verdict.OK : Verdict.ABOVE;
    };
  }

  /**
   * How many times as good as the target it is, 1 being as good; empty without a target. Twice as
   * much of what should be large is 2, and so is half of what should be small.
   */
  public OptionalDouble reached() {
    if (value.isEmpty()) {
      return OptionalDouble.empty();
    }
    double measured = value.getAsDouble();
    return switch (target.of()) {
      case NOTHING -> OptionalDouble.empty();
      case RATIO_AT_LEAST -> OptionalDouble.of(ratio.orElse(0) / target.bound());
      case RATIO_AT_MOST -> OptionalDouble.of(below(ratio.orElse(Double.MAX_VALUE)));
      case VALUE_AT_LEAST -> OptionalDouble.of(measured / target.bound());
      case VALUE_AT_MOST -> OptionalDouble.of(below(measured));
    };
  }

  private double below(double measured) {
    if (measured <= 0) { // nothing at all: as good as can be
      return target.bound() > 0 ? Double.POSITIVE_INFINITY : 1;
    }
    return target.bound() / measured;
  }
}
