package org.millrace.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * A scale of a chart. Immutable.
 *
 * @param label what it counts; empty if the chart says it elsewhere
 * @param logarithmic or linear
 * @param low where it begins; positive if it is logarithmic
 * @param high where it ends
 * @param ticks values with a line and a text, ascending
 * @param text how a tick is written
 */
public record Axis(
    String label,
    boolean logarithmic,
    double low,
    double high,
    List<Double> ticks,
    DoubleFunction<String> text) {

  /** Up to so many ticks of round numbers. */
  private static final int MAX_TICKS = 8;

  /** Keeps a copy of the list. */
  public Axis {
    ticks = List.copyOf(ticks);
  }

  /** From 0 to a round number that is not below the highest value, in round steps. */
  public static Axis upTo(String label, double highest) {
    double step = step(highest > 0 ? highest : 1);
    return linear(label, Math.max(1, Math.ceil(highest / step)) * step, step);
  }

  /** From 0 to {@code high} in steps. */
  public static Axis linear(String label, double high, double step) {
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; i * step < high + step / 2; i++) {
      ticks.add(i * step);
    }
    return new Axis(label, false, 0, high, ticks, Axis::plain);
  }

  /** From one value to another by a factor: 1, 4, 16 ... */
  public static Axis powers(String label, double low, double high, double factor) {
    List<Double> ticks = new ArrayList<>();
    for (double value = low; value <= high * 1.001; value *= factor) {
      ticks.add(value);
    }
    return new Axis(label, true, low, Math.max(high, low * factor), ticks, Axis::plain);
  }

  /** Powers of ten around positive values. */
  public static Axis decades(String label, double least, double most) {
    double low = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-9))));
    double high = Math.pow(10, Math.ceil(Math.log10(Math.max(most, 1e-9))));
    return powers(label, low, Math.max(10 * low, high), 10);
  }

  /** The same with other words for ticks. */
  public Axis withText(DoubleFunction<String> words) {
    return new Axis(label, logarithmic, low, high, ticks, words);
  }

  /** How far along the axis a value is, from 0 to 1; values beyond its ends are at them. */
  double share(double value) {
    double share =
        logarithmic
            ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
            : (value - low) / (high - low);
    return Math.clamp(share, 0, 1);
  }

  /** The distance of ticks, so that there are some but not many: 1, 2 or 5 times a power of ten. */
  private static double step(double highest) {
    double unit = Math.pow(10, Math.floor(Math.log10(highest)) - 1);
    for (double times : new double[] {1, 2, 5, 10}) {
      if (highest / (times * unit) <= MAX_TICKS) {
        return times * unit;
      }
    }
    return 20 * unit;
  }

  private static String plain(double value) {
    return Math.abs(value - Math.rint(value)) < 1e-6
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.6f", value).replaceAll("0+$", "");
  }
}
