package org.millrace.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A grid as one page that needs nothing else: a chart for each workload, with the methods side by
 * side as shares of the limit, which is a line. No state.
 */
public final class GridPage {

  private static final int LABEL = 150;
  private static final int WIDTH = 300;
  private static final int NUMBER = 90;
  private static final int BAR = 13;
  private static final int GAP = 4;
  private static final int TITLE = 20;

  /** Bars end here; the limit is a line at 1. */
  private static final double MOST = 1.25;

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --text: #222; --back: #fff; --soft: #707070;
        --rule: #ddd; --bar: #7d93ad; --auto: #2f8f5b; --low: #c2573a; --line: #222; }
      @media (prefers-color-scheme: dark) { :root { --text: #e4e4e4; --back: #17191c;
        --soft: #9a9a9a; --rule: #3a3d42; --bar: #6f88a6; --auto: #4cb57d; --low: #dd7b5e;
        --line: #f0f0f0; } }
      body { font: 14px sans-serif; margin: 2em; color: var(--text); background: var(--back); }
      .charts { display: flex; flex-wrap: wrap; gap: 1.5em 2.5em; }
      figure { margin: 0; } figcaption { font-weight: bold; margin-bottom: 4px; }
      text { font: 12px sans-serif; fill: var(--text); } .soft { fill: var(--soft); }
      rect { fill: var(--bar); } rect.ok { fill: var(--auto); } rect.below { fill: var(--low); }
      rect.part { opacity: 0.5; }
      .limit { stroke: var(--line); stroke-width: 2; }
      .target { stroke: var(--soft); stroke-dasharray: 3 3; }
      table { border-collapse: collapse; } small { color: var(--soft); }
      th, td { padding: 3px 10px; text-align: left; border-bottom: 1px solid var(--rule); }
      .n { text-align: right; font-variant-numeric: tabular-nums; }
      """;

  private GridPage() {}

  /** The page. */
  public static String of(String title, Machine machine, StrategyGrid.Result result) {
    return of(title, machine, result, cold(result.cold()));
  }

  /** The page with something more at its end. */
  static String of(String title, Machine machine, StrategyGrid.Result result, String more) {
    return page(title, machine, List.of(GridTable.summary(result)), result.rows(), more);
  }

  /**
   * A page of charts.
   *
   * @param said sentences to stand above them, without their full stops
   * @param more what stands below them, as HTML
   */
  static String page(
      String title, Machine machine, List<String> said, List<GridRow> rows, String more) {
    Map<String, List<GridRow>> charts = new LinkedHashMap<>();
    for (GridRow row : rows) {
      charts.computeIfAbsent(row.workload(), name -> new ArrayList<>()).add(row);
    }
    StringBuilder all = new StringBuilder();
    charts.forEach((name, own) -> all.append(chart(name, own)));
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"/><title>%s</title>
        <style>
        %s</style></head><body>
        <h1>%s</h1>
        <p>%s, %d processors, Java %s, %s.</p>
        %s
        <p>Longer is better: each bar is the rate of a method as a share of the limit, the solid
        line; the dashed line is the target of <b>auto</b>. Numbers are milliseconds of one
        collective call of all ranks. Pale bars were scaled from a part, or cut
        off and would be shorter.</p>
        <div class="charts">
        %s</div>
        %s
        </body></html>
        """
        .formatted(
            HtmlReport.escape(title),
            STYLE,
            HtmlReport.escape(title),
            HtmlReport.escape(machine.system()),
            machine.processors(),
            HtmlReport.escape(machine.java()),
            HtmlReport.escape(machine.when()),
            said.stream()
                .map(one -> "<p>" + HtmlReport.escape(one) + ".</p>")
                .collect(Collectors.joining("\n")),
            all,
            more);
  }

  private static String chart(String name, List<GridRow> rows) {
    StringBuilder svg = new StringBuilder();
    int y = 0;
    for (GridRow row : rows) {
      svg.append(group(row, y));
      y += TITLE + (row.cells().size() - 1) * (BAR + GAP) + GAP;
    }
    return "<figure><figcaption>%s</figcaption><svg width=\"%d\" height=\"%d\" role=\"img\">%n%s</svg></figure>%n"
        .formatted(HtmlReport.escape(name), LABEL + WIDTH + NUMBER, y, svg);
  }

  private static String group(GridRow row, int top) {
    double limit = row.cell("limit").orElseThrow().nanos();
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<text x=\"0\" y=\"%d\" class=\"soft\">%s, %d ranks: limit %s ms, auto %.2f of it</text>%n"
            .formatted(
                top + 14,
                row.op(),
                row.ranks(),
                GridTable.text(row.cell("limit").orElseThrow()),
                row.ratio()));
    int y = top + TITLE;
    for (Cell cell : row.cells()) {
      if (!cell.method().equals("limit")) {
        svg.append(bar(row, cell, limit, y));
        y += BAR + GAP;
      }
    }
    return svg.append(line("target", GridRow.TARGET, top + TITLE, y))
        .append(line("limit", 1, top + TITLE, y))
        .toString();
  }

  private static String bar(GridRow row, Cell cell, double limit, int y) {
    boolean auto = cell.method().equals("auto");
    String kind = !cell.isMeasured() ? "part" : !auto ? "" : row.reachesTarget() ? "ok" : "below";
    double share = Math.min(MOST, limit / cell.nanos());
    return String.format(
        Locale.ROOT,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
            + "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>"
            + "<text x=\"%d\" y=\"%d\" class=\"soft\">%s</text>%n",
        LABEL - 8,
        y + BAR - 2,
        HtmlReport.escape(cell.method()),
        kind,
        LABEL,
        y,
        Math.max(1, share / MOST * WIDTH),
        BAR,
        LABEL + WIDTH + 8,
        y + BAR - 2,
        HtmlReport.escape(GridTable.text(cell)));
  }

  private static String line(String kind, double share, int from, int to) {
    return String.format(
        Locale.ROOT,
        "<path class=\"%s\" d=\"M%.1f %dV%d\"/>%n",
        kind,
        LABEL + share / MOST * WIDTH,
        from,
        to);
  }

  private static String cold(List<Row> rows) {
    if (rows.isEmpty()) {
      return "";
    }
    StringBuilder table =
        new StringBuilder("<h2>Cold reading</h2>\n<table><tr><th>what</th><th>measured</th>")
            .append("<th>one thread, sequential</th><th>ratio</th><th></th></tr>\n");
    for (Row row : rows) {
      table
          .append("<tr><td>")
          .append(HtmlReport.escape(row.what()))
          .append("</td>")
          .append(
              number(row.value().isPresent() ? row.unit().format(row.value().getAsDouble()) : ""))
          .append(
              number(row.limit().isPresent() ? row.unit().format(row.limit().getAsDouble()) : ""))
          .append(
              number(
                  row.ratio().isPresent()
                      ? String.format(Locale.ROOT, "%.2f", row.ratio().getAsDouble())
                      : ""))
          .append("<td>")
          .append(HtmlReport.escape(row.verdict().word()))
          .append("</td></tr>\n");
    }
    return table.append("</table>").toString();
  }

  private static String number(String text) {
    return "<td class=\"n\">" + text + "</td>";
  }
}
