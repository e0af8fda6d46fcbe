package org.millrace.bench.grid;

import java.util.List;
import org.millrace.bench.measure.Busy;
import org.millrace.bench.measure.Series;

/**
 * What one method took for one workload. Immutable.
 *
 * @param method its name
 * @param nanos of one call of all ranks: the median of the laps
 * @param how how that number came about
 * @param laps all laps that count
 */
public record Cell(String method, double nanos, How how, List<Double> laps) {

  /** How a number came about. */
  public enum How {
    /** It was measured. */
    MEASURED,
    /** A part was measured, until the budget was used up, and scaled. */
    SCALED,
    /** A small part was measured and scaled; all of it would have taken longer than the budget. */
    ESTIMATED,
    /** It was cut off: it takes longer than this. */
    CUT
  }

  /** Keeps a copy of the list. */
  public Cell {
    laps = List.copyOf(laps);
  }

  /** A cell of measured laps. */
  public static Cell of(String method, How how, List<Double> laps) {
    double[] all = laps.stream().mapToDouble(Double::doubleValue).toArray();
    return new Cell(method, new Series(all).median(), how, laps);
  }

  /** Whether the laps differ so much that the machine must have been busy. */
  public boolean isSpread() {
    return Busy.isSpread(laps.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Whether the number may be compared with others. */
  public boolean isMeasured() {
    return how == How.MEASURED;
  }
}
