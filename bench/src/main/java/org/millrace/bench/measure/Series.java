package org.millrace.bench.measure;

import java.util.Arrays;

/** The rates of one thing, lap by lap. Immutable. */
public final class Series {

  private final double[] rates;

  /** A series of at least one lap. */
  public Series(double... rates) {
    if (rates.length == 0) {
      throw new IllegalArgumentException("a series needs at least one lap");
    }
    this.rates = rates.clone();
  }

  /** The median of all laps. */
  public double median() {
    return median(rates);
  }

  /**
   * The median of the ratios of laps that were run one after the other: what slows the machine down
   * for a while slows both.
   */
  public double ratioTo(Series limit) {
    if (limit.rates.length != rates.length) {
      throw new IllegalArgumentException(
          rates.length + " laps cannot be compared with " + limit.rates.length);
    }
    double[] ratios = new double[rates.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = rates[i] / limit.rates[i];
    }
    return median(ratios);
  }

  /** Whether the laps differ so much that the machine must have been busy. */
  boolean isSpread() {
    return Busy.isSpread(rates);
  }

  /** The least and the most. */
  public String spread(Unit unit) {
    double least = Arrays.stream(rates).min().orElseThrow();
    double most = Arrays.stream(rates).max().orElseThrow();
    return unit.format(least) + " to " + unit.format(most);
  }

  /** All rates times a factor. */
  public Series times(double factor) {
    return new Series(Arrays.stream(rates).map(rate -> rate * factor).toArray());
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
