package org.millrace.bench.grid;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.millrace.bench.measure.Series;

/**
 * All methods on one workload: a line of the table. Immutable.
 *
 * @param suite the benchmark
 * @param workload its name
 * @param write or read
 * @param ranks how many took part
 * @param bytes moved by one call of all ranks
 * @param runs pieces that these bytes are
 * @param scattered whether requests are many small pieces, or shared ones
 * @param cells one for each method: yardsticks first, auto last
 * @param taken the strategy that auto took; empty if nobody looked
 */
public record GridRow(
    String suite,
    String workload,
    boolean write,
    int ranks,
    long bytes,
    long runs,
    boolean scattered,
    List<Cell> cells,
    String taken) {

  /** How much of the limit the automatic choice should reach. */
  public static final double TARGET = 0.7;

  /** How much slower than the best strategy the automatic choice may be. */
  static final double NEAR = 1.1;

  /** Or by how many nanoseconds. */
  static final double NEAR_NANOS = 100_000;

  /** Keeps a copy of the list. */
  public GridRow {
    cells = List.copyOf(cells);
  }

  /** "read" or "write". */
  public String op() {
    return write ? "write" : "read";
  }

  /** What a method took. */
  public Optional<Cell> cell(String method) {
    return cells.stream().filter(cell -> cell.method().equals(method)).findFirst();
  }

  private double nanos(String method) {
    return cell(method).map(Cell::nanos).orElse(Double.NaN);
  }

  /** The rate of the automatic choice as a share of the limit's, lap by lap; the median. */
  public double ratio() {
    Cell auto = cell("auto").orElseThrow();
    Cell limit = cell("limit").orElseThrow();
    if (auto.laps().size() != limit.laps().size()) {
      return limit.nanos() / auto.nanos();
    }
    double[] ratios = new double[auto.laps().size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = limit.laps().get(i) / auto.laps().get(i);
    }
    return new Series(ratios).median();
  }

  /** Whether the target is reached. */
  public boolean reachesTarget() {
    return ratio() >= TARGET;
  }

  /** The fastest strategy that was forced; empty if none was measured. */
  public Optional<Cell> best() {
    return cells.stream()
        .filter(cell -> !List.of("limit", "calls", "auto").contains(cell.method()))
        .filter(Cell::isMeasured)
        .min(Comparator.comparingDouble(Cell::nanos));
  }

  /** Whether the automatic choice is about as fast as the best strategy. */
  public boolean choosesWell() {
    return isNearBest(nanos("auto"));
  }

  /**
   * Whether the strategy that auto took, when it was forced, was about as fast as the best one. Two
   * columns of the table show the same code then, so this says more about the choice, and {@link
   * #choosesWell} more about the call.
   */
  public boolean takesWell() {
    return taken.isEmpty() || isNearBest(nanos(taken));
  }

  private boolean isNearBest(double nanos) {
    return best()
        .map(cell -> nanos <= cell.nanos() * NEAR || nanos - cell.nanos() <= NEAR_NANOS)
        .orElse(true);
  }
}
