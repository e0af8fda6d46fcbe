package org.millrace.bench.peers;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.GridRow;

/**
 * Millrace, the yardsticks and all peers on one workload: a line of the table. Immutable.
 *
 * @param grid cells of the limit, of plain calls, of auto, and of each peer in each way
 */
public record PeerRow(GridRow grid) {

  /** How many times as fast as the best peer Millrace should be where pieces are small. */
  public static final double SCATTERED_TARGET = 2;

  /** And where they are large, so that everybody only copies. */
  public static final double CONTIGUOUS_TARGET = 0.9;

  private static final List<String> OURS = List.of("limit", "calls", "auto");

  /** How a row ended. */
  public enum Verdict {
    /** The target is reached. */
    OK,
    /** It is not. */
    BELOW,
    /** All peers were cut off before one could tell. */
    OPEN;

    /** As it is printed. */
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** The cells of the peers. */
  public List<Cell> peers() {
    return grid.cells().stream().filter(cell -> !OURS.contains(cell.method())).toList();
  }

  /** The fastest peer; if all were cut off, the one that was first. Empty if all failed. */
  public Optional<Cell> best() {
    return peers().stream()
        .min(
            Comparator.comparing((Cell cell) -> !cell.isMeasured())
                .thenComparingDouble(Cell::nanos));
  }

  /** How many times as fast as the best peer; at least that where it was cut off. */
  public double ratio() {
    double auto = grid.cell("auto").orElseThrow().nanos();
    return best().map(cell -> cell.nanos() / auto).orElse(Double.NaN);
  }

  /** What the ratio should be. */
  public double target() {
    return grid.scattered() ? SCATTERED_TARGET : CONTIGUOUS_TARGET;
  }

  /** Whether it is. */
  public Verdict verdict() {
    if (ratio() >= target()) {
      return Verdict.OK;
    }
    return best().map(Cell::isMeasured).orElse(false) ? Verdict.BELOW : Verdict.OPEN;
  }
}
