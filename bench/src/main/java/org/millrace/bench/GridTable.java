package org.millrace.bench;

import java.util.List;
import java.util.Locale;

/**
 * Rows of a grid as lines of text with columns of fixed width, so that each can be printed when it
 * is there. Times are milliseconds of one call of all ranks; a number after {@code ~} was scaled
 * from a part. No state.
 */
public final class GridTable {

  private static final String FIRST = "%-42s %-5s %5s";
  private static final String CELL = " %9s";
  private static final String LAST = " %7s  %s";

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

  private GridTable() {}

  /** The heading. */
  public static String heading() {
    StringBuilder line = new StringBuilder(FIRST.formatted("workload, ms", "op", "ranks"));
    for (String method : METHODS) {
      line.append(CELL.formatted(heading(method)));
    }
    return line.append(LAST.formatted("a/limit", "verdict")).toString();
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
    StringBuilder line = new StringBuilder(FIRST.formatted(row.workload(), row.op(), row.ranks()));
    for (String method : METHODS) {
      line.append(CELL.formatted(row.cell(method).map(GridTable::text).orElse("-")));
    }
    String ratio = String.format(Locale.ROOT, "%.2f", row.ratio());
    return line.append(LAST.formatted(ratio, verdict(row))).toString();
  }

  /** What is to be said about a row. */
  static String verdict(GridRow row) {
    String verdict = row.reachesTarget() ? "ok" : "below";
    if (!row.choosesWell()) {
      verdict += ", " + row.best().orElseThrow().method() + " is faster";
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
        "auto reaches %.2f of the limit on %.0f %% of %d rows; it is within 10 %% or 100 us of the"
            + " best strategy on %.0f %%",
        GridRow.TARGET,
        100 * result.reachesTarget(),
        rows,
        100 * result.choosesWell());
  }
}
