package org.millrace.bench;

import java.util.List;
import java.util.stream.Collectors;

/** IOR's rows, with the grid of yardsticks that belongs to them, for programs and as a page. */
public final class IorReport {

  private IorReport() {}

  /** One object with the machine, the options, the rows and the grid. */
  public static String json(
      Machine machine, IorOptions options, List<IorRow> rows, StrategyGrid.Result grid) {
    String all = rows.stream().map(IorReport::row).collect(Collectors.joining(",\n    "));
    return """
        {
          "machine": %s,
          "options": {"ranks": %d, "block": %d, "transfer": %d, "segments": %d,
            "repetitions": %d, "collective": %s, "filePerProcess": %s, "random": %s,
            "reorder": %s, "flush": %s, "strategy": %s},
          "ior": [
            %s
          ],
          "grid": [
            %s
          ]
        }
        """
        .formatted(
            JsonReport.machine(machine),
            options.ranks(),
            options.blockBytes(),
            options.transferBytes(),
            options.segments(),
            options.repetitions(),
            options.collective(),
            options.filePerProcess(),
            options.random(),
            options.reorder(),
            options.flush(),
            JsonReport.quote(options.strategy().word()),
            all,
            GridJson.rows(grid.rows()));
  }

  private static String row(IorRow row) {
    return "{\"access\": %s, \"iter\": %d, \"bytes\": %d, \"transfers\": %d, \"bwMiB\": %s, \"open\": %s, \"move\": %s, \"close\": %s, \"total\": %s}"
        .formatted(
            JsonReport.quote(row.access()),
            row.iteration(),
            row.bytes(),
            row.transfers(),
            row.mebibytesPerSecond(),
            row.openSeconds(),
            row.moveSeconds(),
            row.closeSeconds(),
            row.totalSeconds());
  }

  /** The page: bars of bandwidth, then the charts of the grid. */
  public static String html(
      Machine machine, IorOptions options, List<IorRow> rows, StrategyGrid.Result grid) {
    double most = rows.stream().mapToDouble(IorRow::mebibytesPerSecond).max().orElse(1);
    StringBuilder table =
        new StringBuilder("<h2>Repetitions</h2>\n<table><tr><th>access</th><th>iter</th>")
            .append("<th>MiB/s</th><th></th><th>open</th><th>wr/rd</th><th>close</th></tr>\n");
    for (IorRow row : rows) {
      table.append(
          "<tr><td>%s</td><td class=\"n\">%d</td><td class=\"n\">%s</td><td><svg width=\"300\" height=\"13\" role=\"img\"><rect width=\"%s\" height=\"13\"/></svg></td><td class=\"n\">%s s</td><td class=\"n\">%s s</td><td class=\"n\">%s s</td></tr>%n"
              .formatted(
                  row.access(),
                  row.iteration(),
                  IorTable.number(row.mebibytesPerSecond(), 0),
                  IorTable.number(300 * row.mebibytesPerSecond() / most, 1),
                  IorTable.number(row.openSeconds(), 4),
                  IorTable.number(row.moveSeconds(), 4),
                  IorTable.number(row.closeSeconds(), 4)));
    }
    String title =
        "millrace bench ior: %d ranks, -b %d -t %d -s %d"
            .formatted(
                options.ranks(), options.blockBytes(), options.transferBytes(), options.segments());
    return GridPage.of(title, machine, grid, table.append("</table>").toString());
  }
}
