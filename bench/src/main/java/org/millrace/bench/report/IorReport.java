package org.millrace.bench.report;

import java.util.List;
import org.millrace.bench.grid.IorOptions;
import org.millrace.bench.grid.IorRow;
import org.millrace.bench.grid.StrategyGrid;
import org.millrace.bench.measure.Machine;
import org.millrace.output.Bars;
import org.millrace.output.Json;
import org.millrace.output.Paint;
import org.millrace.output.Table;

/** IOR's rows, with the grid of yardsticks that belongs to them, for programs and as a page. */
public final class IorReport {

  private static final int BAR_LENGTH = 300;

  private IorReport() {}

  /** One object with the machine, the options, the rows and the grid. */
  public static String json(
      Machine machine, IorOptions options, List<IorRow> rows, StrategyGrid.Result grid) {
    return Json.of(
            Json.object(
                "machine", machine,
                "options", options(options),
                "ior", rows.stream().map(IorReport::row).toList(),
                "grid", GridJson.rows(grid.rows())))
        + "\n";
  }

  private static Object options(IorOptions options) {
    return Json.object(
        "ranks", options.ranks(),
        "block", options.blockBytes(),
        "transfer", options.transferBytes(),
        "segments", options.segments(),
        "repetitions", options.repetitions(),
        "collective", options.collective(),
        "filePerProcess", options.filePerProcess(),
        "random", options.random(),
        "reorder", options.reorder(),
        "flush", options.flush(),
        "strategy", options.strategy().word());
  }

  private static Object row(IorRow row) {
    return Json.object(
        "access", row.access(),
        "iter", row.iteration(),
        "bytes", row.bytes(),
        "transfers", row.transfers(),
        "bwMiB", row.mebibytesPerSecond(),
        "open", row.openSeconds(),
        "move", row.moveSeconds(),
        "close", row.closeSeconds(),
        "total", row.totalSeconds());
  }

  /** The page: bars of bandwidth, then the charts of the grid. */
  public static String html(
      Machine machine, IorOptions options, List<IorRow> rows, StrategyGrid.Result grid) {
    double most = rows.stream().mapToDouble(IorRow::mebibytesPerSecond).max().orElse(1);
    Table table = new Table("access", ">iter", ">MiB/s", "", ">open", ">wr/rd", ">close");
    for (IorRow row : rows) {
      table.row(
          row.access(),
          row.iteration(),
          IorTable.number(row.mebibytesPerSecond(), 0),
          Bars.cell(row.mebibytesPerSecond(), most, BAR_LENGTH, Paint.PLAIN),
          IorTable.number(row.openSeconds(), 4) + " s",
          IorTable.number(row.moveSeconds(), 4) + " s",
          IorTable.number(row.closeSeconds(), 4) + " s");
    }
    String title =
        "millrace bench ior: %s ranks, -b %s -t %s -s %s"
            .formatted(
                options.ranks(), options.blockBytes(), options.transferBytes(), options.segments());
    return GridPage.page(title, machine, List.of(GridTable.summary(grid)), grid.rows())
        .heading("Repetitions")
        .table(table)
        .html();
  }
}
