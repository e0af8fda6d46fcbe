package org.millrace.bench.report;

import java.util.List;
import java.util.Locale;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.peers.PeerRow;
import org.millrace.output.Columns;

/**
 * Rows of the comparison as lines of text. Times are milliseconds of one call of all ranks; {@code
 * ~} means scaled from a part, {@code >} cut off. No state.
 */
public final class PeersTable {

  private static final Columns COLUMNS =
      new Columns(
              "workload, ms",
              "op",
              ">ranks",
              ">limit",
              ">calls",
              ">best MPI",
              "which",
              ">auto",
              ">a/limit",
              ">a/MPI",
              ">target",
              "verdict")
          .withWidths(42, 5, 5, 7, 7, 8, 24, 7, 7, 6, 6);

  private PeersTable() {}

  /** The heading. */
  public static String heading() {
    return COLUMNS.heading();
  }

  /** One row. */
  public static String line(PeerRow row) {
    GridRow grid = row.grid();
    boolean cut = row.best().map(cell -> !cell.isMeasured()).orElse(false);
    return COLUMNS.line(
        grid.workload(),
        grid.op(),
        grid.ranks(),
        text(grid, "limit"),
        text(grid, "calls"),
        row.best().map(GridTable::text).orElse("-"),
        row.best().map(Cell::method).orElse("none could"),
        text(grid, "auto"),
        two(grid.ratio()),
        (cut ? ">" : "") + two(row.ratio()),
        two(row.target()),
        row.verdict().word() + (grid.reachesTarget() ? "" : ", below the limit's"));
  }

  private static String text(GridRow grid, String method) {
    return grid.cell(method).map(GridTable::text).orElse("-");
  }

  private static String two(double number) {
    if (Double.isNaN(number)) {
      return "-";
    }
    return String.format(Locale.ROOT, number < 100 ? "%.2f" : "%.0f", number);
  }

  /** What all rows together say. */
  public static String summary(List<PeerRow> rows) {
    return "scattered requests: " + share(rows, true) + "; contiguous ones: " + share(rows, false);
  }

  private static String share(List<PeerRow> rows, boolean scattered) {
    List<PeerRow> some = rows.stream().filter(row -> row.grid().scattered() == scattered).toList();
    long ok = some.stream().filter(row -> row.verdict() == PeerRow.Verdict.OK).count();
    double target = scattered ? PeerRow.SCATTERED_TARGET : PeerRow.CONTIGUOUS_TARGET;
    return String.format(
        Locale.ROOT, "at least %.1f times the best MPI on %s of %s rows", target, ok, some.size());
  }
}
