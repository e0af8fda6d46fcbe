package org.millrace.bench;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Rows as one page that needs nothing else: a bar for each, as long as it reaches its target. */
public final class HtmlReport {

  private static final int WIDTH = 240;

  /** Bars end here; the target is a line at 1. */
  private static final double MOST = 2;

  private HtmlReport() {}

  /** The page. */
  public static String of(Machine machine, List<Row> rows) {
    return of("millrace bench micro", machine, rows);
  }

  /** The page of another benchmark. */
  public static String of(String title, Machine machine, List<Row> rows) {
    StringBuilder body = new StringBuilder();
    for (Row row : rows) {
      body.append(row(row));
    }
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>%s</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        table { border-collapse: collapse; }
        th, td { padding: 3px 10px; text-align: left; border-bottom: 1px solid #ddd; }
        .n { text-align: right; font-variant-numeric: tabular-nums; }
        .ok rect { fill: #3a8f5c; } .below rect, .above rect { fill: #c2573a; }
        small { color: #777; }
        </style></head><body>
        <h1>%s</h1>
        <p>%s, %d processors, Java %s, %s. The line is the target.</p>
        <table>
        <tr><th>benchmark<th>what<th>measured<th>limit<th>ratio<th>target<th>reached<th></tr>
        %s</table>
        </body></html>
        """
        .formatted(
            escape(title),
            escape(title),
            escape(machine.system()),
            machine.processors(),
            escape(machine.java()),
            escape(machine.when()),
            body);
  }

  private static String row(Row row) {
    String word = row.verdict().word();
    String ratio =
        row.ratio().isPresent()
            ? String.format(Locale.ROOT, "%.2f", row.ratio().getAsDouble())
            : "";
    return "<tr class=\""
        + (word.equals("-") ? "info" : word)
        + "\"><td>"
        + String.join("<td>", escape(row.benchmark()), escape(row.what()) + small(row.note()))
        + String.join(
            "",
            cell(format(row, row.value())),
            cell(format(row, row.limit())),
            cell(ratio),
            cell(escape(row.target().format(row.unit()))))
        + "<td>"
        + bar(row.reached())
        + "<td>"
        + word
        + "</tr>\n";
  }

  private static String cell(String text) {
    return "<td class=\"n\">" + text;
  }

  private static String small(String note) {
    return note.isEmpty() ? "" : "<br><small>" + escape(note) + "</small>";
  }

  private static String format(Row row, OptionalDouble number) {
    return number.isPresent() ? row.unit().format(number.getAsDouble()) : "";
  }

  private static String bar(OptionalDouble reached) {
    if (reached.isEmpty()) {
      return "";
    }
    double share = Math.min(MOST, reached.getAsDouble()) / MOST;
    int line = (int) (WIDTH / MOST);
    return String.format(
        Locale.ROOT,
        "<svg width=\"%d\" height=\"14\" role=\"img\"><title>%.2f of the target</title>"
            + "<rect width=\"%.1f\" height=\"14\"/>"
            + "<path d=\"M%d 0V14\" stroke=\"#222\" stroke-width=\"2\"/></svg>",
        WIDTH,
        reached.getAsDouble(),
        share * WIDTH,
        line);
  }

  /** Text as it may stand between tags. */
  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
