package org.millrace.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What {@link SharingBenchmark} measured as JSON and as a page that needs nothing else. No state.
 */
public final class SharingReport {

  private static final int WIDTH = 400;
  private static final int LEFT = 130;
  private static final int BAR = 14;

  private SharingReport() {}

  /** One object with the machine, and a row for each stream and who serves it. */
  public static String json(Machine machine, SharingResult result) {
    List<String> rows = new ArrayList<>();
    for (SharingResult.Row row : result.rows()) {
      rows.add(run(row, "computing", row.shared(), row.efficiencyToControl()));
      rows.add(run(row, "idle", row.control(), 1));
    }
    return String.format(
        Locale.ROOT,
        """
        {
          "machine": %s,
          "ranks": %d,
          "bound": %b,
          "iterations": %d,
          "aloneSeconds": %.3f,
          "paperAloneSeconds": %.1f,
          "rows": [
            %s
          ]
        }
        """,
        JsonReport.machine(machine),
        result.ranks(),
        result.bound(),
        result.iterations(),
        result.aloneSeconds(),
        SharingStream.PAPER_ALONE_SECONDS,
        String.join(",\n    ", rows));
  }

  private static String run(
      SharingResult.Row row, String server, SharingResult.Run run, double toControl) {
    return String.format(
        Locale.ROOT,
        "{\"stream\": %s, \"server\": \"%s\", \"seconds\": %.3f, \"efficiency\": %.3f,"
            + " \"efficiencyToControl\": %.3f, \"requestsPerSecond\": %.0f,"
            + " \"servingCores\": %.3f, \"clientCores\": %.3f, \"paperSeconds\": %.1f,"
            + " \"paperEfficiency\": %.3f}",
        JsonReport.quote(row.stream().label()),
        server,
        run.seconds(),
        run.efficiency(),
        toControl,
        run.requestsPerSecond(),
        run.servingCores(),
        run.clientCores(),
        row.stream().paperSeconds(),
        row.stream().paperEfficiency());
  }

  /** The page: bars of efficiency for each stream, and the table. */
  public static String page(Machine machine, SharingResult result) {
    StringBuilder charts = new StringBuilder();
    for (SharingResult.Row row : result.rows()) {
      charts.append(chart(row));
    }
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"/><title>millrace bench sharing</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        figure { display: inline-block; margin: 0 1em 1em 0; }
        text { font: 11px sans-serif; fill: #444; }
        .shared { fill: #2f6fb0; } .control { fill: #9bb8d3; } .paper { fill: #c9a45c; }
        </style></head><body>
        <h1>millrace bench sharing</h1>
        <p>%s, %d processors, Java %s, %s. What is left of a computation's speed on %d nodes, with
        a barrier after each iteration, while one of them serves a stream of 1 KB requests; beside
        it the same stream served by a node that does not compute, and table 4 of the paper. %s</p>
        <div>
        %s</div>
        <pre>%s</pre>
        </body></html>
        """
        .formatted(
            HtmlReport.escape(machine.system()),
            machine.processors(),
            HtmlReport.escape(machine.java()),
            HtmlReport.escape(machine.when()),
            result.ranks(),
            HtmlReport.escape(result.caution(machine.processors())),
            charts,
            HtmlReport.escape(result.table()));
  }

  private static String chart(SharingResult.Row row) {
    String bars =
        bar(0, "shared", "a node that computes", row.shared().efficiency())
            + bar(1, "control", "a node of its own", row.control().efficiency())
            + bar(2, "paper", "the paper, NFS", row.stream().paperEfficiency());
    return ("<figure><figcaption>%s</figcaption>"
            + "<svg width=\"%d\" height=\"%d\" role=\"img\">%n%s</svg></figure>%n")
        .formatted(row.stream().label(), LEFT + WIDTH + 60, 3 * (BAR + 4), bars);
  }

  private static String bar(int index, String kind, String label, double share) {
    int top = index * (BAR + 4);
    // noise may make the computation quicker beside a stream than alone
    double width = WIDTH * Math.clamp(share, 0, 1);
    return String.format(
        Locale.ROOT,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text><rect class=\"%s\" x=\"%d\""
            + " y=\"%d\" width=\"%.1f\" height=\"%d\"/><text x=\"%.1f\" y=\"%d\">%s</text>%n",
        LEFT - 6,
        top + 11,
        label,
        kind,
        LEFT,
        top,
        width,
        BAR,
        LEFT + width + 4,
        top + 11,
        Busy.percent(share));
  }
}
