package org.millrace.sim.kotz;

import java.util.List;

/** Outcomes as one page that needs nothing else: the paper's two figures and a table. */
public final class KotzPage {

  private KotzPage() {}

  /** The page. */
  public static String of(long seed, List<Outcome> outcomes) {
    StringBuilder body = new StringBuilder();
    for (String machine : Tables.machines(outcomes)) {
      List<Outcome> its = Tables.of(outcomes, machine);
      body.append("<h2>").append(machine).append("</h2>\n");
      if (machine.equals(Hardware.TABLE_1.name())) {
        body.append("<pre>").append(Tables.table2(its)).append("</pre>\n");
        body.append("<pre>").append(Tables.table3(its)).append("</pre>\n");
      }
      body.append("<div>").append(figure(Scatter.figure2(its)));
      body.append(figure(Scatter.figure3(its))).append("</div>\n").append(table(its));
    }
    if (Tables.machines(outcomes).size() > 1) {
      body.append("<h2>What the machine changes</h2>\n");
      for (FileSystem system : FileSystem.values()) {
        body.append("<pre>").append(Tables.changes(outcomes, system)).append("</pre>\n");
      }
    }
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>millrace sim kotz</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        div { display: flex; flex-wrap: wrap; } figure { margin: 0 2em 1em 0; }
        table { border-collapse: collapse; } table, pre { font-size: 12px; }
        th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid #ddd; }
        th { vertical-align: bottom; }
        th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; white-space: nowrap; }
        </style></head><body>
        <h1>millrace sim kotz</h1>
        <p>16 processes do nothing but I/O on a file of %d MB over 16 nodes: how fast it goes, and
        how much of the nodes' processors is left to compute. Seed %d. In the tables %s.</p>
        %s<p>%s</p>
        </body></html>
        """
        .formatted(
            outcomes.getFirst().bytes() >> 20, seed, Column.LEGEND, body, Tables.check(outcomes));
  }

  private static String figure(String svg) {
    return "<figure>" + svg + "</figure>\n";
  }

  private static String table(List<Outcome> outcomes) {
    StringBuilder rows = new StringBuilder("<table><tr>");
    Column.ALL.forEach(column -> rows.append("<th>").append(column.name()));
    rows.append("</tr>\n");
    for (Outcome one : outcomes) {
      rows.append("<tr>");
      Column.ALL.forEach(column -> rows.append("<td>").append(column.cell().apply(one)));
      rows.append("</tr>\n");
    }
    return rows.append("</table>\n").toString();
  }
}
