package org.millrace.sim.kotz;

import java.util.List;
import java.util.Locale;

/** Outcomes as one page that needs nothing else: the paper's two figures and a table. */
public final class KotzPage {

  private KotzPage() {}

  /** The page. */
  public static String of(long seed, List<Outcome> outcomes) {
    StringBuilder body = new StringBuilder();
    for (String machine : outcomes.stream().map(Outcome::hardware).distinct().toList()) {
      List<Outcome> its = outcomes.stream().filter(one -> one.hardware().equals(machine)).toList();
      body.append("<h2>").append(machine).append("</h2>\n");
      if (machine.equals(Hardware.TABLE_1.name())) {
        body.append("<pre>").append(Tables.table2(its)).append("</pre>\n");
        body.append("<pre>").append(Tables.table3(its)).append("</pre>\n");
      }
      body.append("<div><figure>").append(Scatter.figure2(its));
      body.append("<figcaption>without synchronization (figure 2)</figcaption></figure>\n");
      body.append("<figure>").append(Scatter.figure3(its));
      body.append("<figcaption>with a barrier every 5 ms (figure 3)</figcaption></figure></div>\n");
      body.append(table(its));
    }
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>millrace sim kotz</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        div { display: flex; flex-wrap: wrap; } figure { margin: 0 2em 1em 0; }
        table { border-collapse: collapse; }
        th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd; }
        th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
        text { font-size: 12px; fill: #444; } .grid { stroke: #ddd; fill: none; }
        .t { fill: #c2573a; } .d { fill: #2f6fa8; } span.t { color: #c2573a; } span.d { color: #2f6fa8; }
        .ring { fill: none; stroke-width: 1.5; } .ring.t { stroke: #c2573a; } .ring.d { stroke: #2f6fa8; }
        </style></head><body>
        <h1>millrace sim kotz</h1>
        <p>16 processes do nothing but I/O on a 10 MB file over 16 nodes: how fast it goes, and how
        much of the nodes' processors is left. <span class="t">&#9679; traditional caching</span>,
        <span class="d">&#9679; disk-directed I/O</span>; rings are the paper's numbers. Seed %d.</p>
        %s</body></html>
        """
        .formatted(seed, body);
  }

  private static String table(List<Outcome> outcomes) {
    StringBuilder rows = new StringBuilder();
    for (Outcome one : outcomes) {
      rows.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%s<td>%s<td>%.1f<td>%.1f<td>%.1f<td>%,d<td>%,d<td>%,d<td>%.1f</tr>%n",
              one.pattern().name(),
              one.system().words(),
              one.megabytesPerSecond(),
              100 * one.free(),
              100 * one.freeWithBarriers(),
              one.interruptions(),
              one.messages(),
              one.transfers(),
              100 * one.diskBusy()));
    }
    return """
        <table><tr><th>pattern<th>file system<th>MB/s<th>CPU free, %%<th>with barriers, %%<th>\
        interruptions<th>messages<th>disk transfers<th>disks busy, %%</tr>
        %s</table>
        """
        .formatted(rows);
  }
}
