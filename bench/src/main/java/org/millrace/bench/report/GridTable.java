package org.millrace.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.grid.StrategyGrid;
import org.millrace.bench.measure.Busy;
import org.millrace.output.Columns;

/**
 * Rows of a grid as lines of text, so that each can be printed when it is there. Times are
 * milliseconds of one call of all ranks; a number after {@code ~} was scaled from a part. No state.
 */
public final class GridTable {

  /** Methods in the order of columns, and their headings. */
  private static final List<String> METHODS =
      List.of(
          "limit",
          "calls",
          "direct",
          "sieved",
          "two-phase",
          "extended-two-phase",
          "disk-directed",
          "auto");

  private static final Columns COLUMNS = columns();

  private GridTable() {}

  private static Columns columns() {
    List<String> headings = new ArrayList<>(List.of("workload, ms", "op", ">ranks"));
    METHODS.forEach(method -> headings.add('>' + heading(method)));
    headings.addAll(List.of(">a/limit", "verdict"));
    int[] widths = new int[headings.size() - 1];
    Arrays.fill(widths, 8);
    widths[0] = 42;
    widths[1] = 5;
    widths[2] = 5;
    return new Columns(headings.toArray(String[]::new)).withWidths(widths);
  }

  /** The heading. */
  public static String heading() {
    return COLUMNS.heading();
  }

  private static String heading(String method) {
    return switch (method) {
      case "extended-two-phase" -> "extended";
      case "disk-directed" -> "directed";
      default -> method;
    };
  }

  /** One row. */
  public static String line(GridRow row) {
    List<Object> cells = new ArrayList<>(List.of(row.workload(), row.op(), row.ranks()));
    METHODS.forEach(method -> cells.add(row.cell(method).map(GridTable::text).orElse("-")));
    cells.add(String.format(Locale.ROOT, "%.2f", row.ratio()));
    cells.add(verdict(row));
    return COLUMNS.line(cells.toArray());
  }

  /** What is to be said about a row. */
  static String verdict(GridRow row) {
    String verdict = row.reachesTarget() ? "ok" : "below";
    if (!row.choosesWell()) {
      String best = row.best().orElseThrow().method();
      verdict +=
          row.taken().isEmpty()
              ? ", " + best + " is faster"
              : row.taken().equals(best)
                  ? ", auto took " + best + " and was slower"
                  : ", " + best + " is faster than " + row.taken() + ", which auto took";
    }
    boolean busy = row.cells().stream().anyMatch(Cell::isSpread);
    return busy ? verdict + ", " + Busy.WORD + ": laps differ" : verdict;
  }

  /** Milliseconds with three digits. */
  static String text(Cell cell) {
    double millis = cell.nanos() / 1e6;
    int decimals = millis >= 99.95 ? 0 : millis >= 9.995 ? 1 : millis >= 0.9995 ? 2 : 3;
    String number = String.format(Locale.ROOT, "%." + decimals + "f", millis);
    return switch (cell.how()) {
      case MEASURED -> number;
      case SCALED, ESTIMATED -> "~" + number;
      case CUT -> ">" + number;
    };
  }

  /** What all rows together say. */
  public static String summary(StrategyGrid.Result result) {
    int rows = result.rows().size();
    return String.format(
        Locale.ROOT,
        "auto reaches %.2f of the limit on %.0f %% of %s rows; it is within 10 %% or 100 us of the"
            + " best strategy on %.0f %%, and so is the strategy that it took, when forced, on"
            + " %.0f %%",
        GridRow.TARGET,
        100 * result.reachesTarget(),
        rows,
        100 * result.choosesWell(),
        100 * result.takesWell());
  }
}
