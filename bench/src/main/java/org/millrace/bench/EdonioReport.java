package org.millrace.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.millrace.heritage.fem.Phases;

/**
 * The tables of {@link EdonioBenchmark} as JSON and as a page that needs nothing else. No state.
 */
public final class EdonioReport {

  private static final int WIDTH = 560;
  private static final int HEIGHT = 14;
  private static final int LEFT = 170;
  private static final String[] COLORS = {
    "#9ecae1", "#2f6fb0", "#08306b", "#a1d99b", "#fdae6b", "#3a8f5c", "#00441b"
  };

  private EdonioReport() {}

  /** One object with the machine and all lines; phases are seconds. */
  public static String json(Machine machine, List<EdonioTable> tables) {
    String lines =
        tables.stream()
            .flatMap(
                table ->
                    table.rows().stream()
                        .flatMap(row -> row.lines().stream().map(line -> json(table, row, line))))
            .collect(Collectors.joining(",\n    "));
    return """
    {
      "machine": %s,
      "pageCacheDropped": %b,
      "lines": [
        %s
      ]
    }
    """
        .formatted(JsonReport.machine(machine), EdonioBenchmark.dropsPages(), lines);
  }

  private static String json(EdonioTable table, EdonioTable.Row row, EdonioTable.Line line) {
    StringBuilder json = new StringBuilder();
    json.append(
        "{\"table\": %s, \"key\": %s, \"row\": %s, \"way\": %s"
            .formatted(
                JsonReport.quote(table.name()),
                JsonReport.quote(table.key()),
                JsonReport.quote(row.label()),
                JsonReport.quote(line.way())));
    for (int i = 0; i < Phases.NAMES.size(); i++) {
      json.append(
          String.format(
              Locale.ROOT, ", \"%s\": %.6f", Phases.NAMES.get(i), line.phases().seconds().get(i)));
    }
    return json.append(
            ", \"writeGain\": %s, \"readGain\": %s}"
                .formatted(number(line.writeGain()), number(line.readGain())))
        .toString();
  }

  private static String number(double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null";
  }

  /** The page: a bar of phases for each line, and the tables. */
  public static String page(Machine machine, List<EdonioTable> tables) {
    StringBuilder charts = new StringBuilder();
    StringBuilder text = new StringBuilder();
    for (EdonioTable table : tables) {
      charts.append(chart(table));
      text.append(HtmlReport.escape(table.text())).append('\n');
    }
    return """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"/><title>millrace bench edonio</title>
    <style>
    body { font: 14px sans-serif; margin: 2em; color: #222; }
    text { font: 11px sans-serif; fill: #444; }
    i { display: inline-block; width: 1em; height: 1em; margin: 0 .3em 0 1em; }
    </style></head><body>
    <h1>millrace bench edonio</h1>
    <p>%s, %d processors, Java %s, %s; the page cache was %s before files were read.
    Bars are seconds of the phases; the report's of 1995 are only in the tables.
    "writing" and "reading" say how many times as long a plain file takes.</p>
    <p>%s</p>
    %s<pre>%s</pre>
    </body></html>
    """
        .formatted(
            HtmlReport.escape(machine.system()),
            machine.processors(),
            HtmlReport.escape(machine.java()),
            HtmlReport.escape(machine.when()),
            EdonioBenchmark.dropsPages() ? "dropped" : "not dropped",
            legend(),
            charts,
            text);
  }

  private static String legend() {
    StringBuilder legend = new StringBuilder();
    for (int i = 0; i < COLORS.length; i++) {
      legend.append("<i style=\"background:%s\"></i>%s".formatted(COLORS[i], Phases.NAMES.get(i)));
    }
    return legend.toString();
  }

  private static boolean isMeasured(EdonioTable.Line line) {
    return !line.way().equals(EdonioPaper.EDONIO) && !line.way().equals(EdonioPaper.NX);
  }

  private static String chart(EdonioTable table) {
    double most =
        table.rows().stream()
            .flatMap(row -> row.lines().stream())
            .filter(EdonioReport::isMeasured)
            .mapToDouble(line -> line.phases().total())
            .max()
            .orElse(1);
    StringBuilder svg = new StringBuilder();
    int y = 0;
    for (EdonioTable.Row row : table.rows()) {
      for (EdonioTable.Line line : row.lines()) {
        if (isMeasured(line)) {
          String label = "%s %s, %s".formatted(table.key(), row.label(), line.way());
          svg.append(bar(label, line, y, most));
          y += HEIGHT + 2;
        }
      }
      y += HEIGHT / 2;
    }
    return "<h2>Table %s: %s</h2>%n<svg width=\"%d\" height=\"%d\" role=\"img\">%n%s</svg>%n"
        .formatted(table.name(), HtmlReport.escape(table.title()), LEFT + WIDTH + 70, y, svg);
  }

  private static String bar(String label, EdonioTable.Line line, int y, double most) {
    StringBuilder bar = new StringBuilder();
    bar.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
            .formatted(LEFT - 6, y + 11, HtmlReport.escape(label)));
    double x = LEFT;
    for (int i = 0; i < COLORS.length; i++) {
      double width = WIDTH * line.phases().seconds().get(i) / most;
      bar.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
              x,
              y,
              width,
              HEIGHT,
              COLORS[i]));
      x += width;
    }
    return bar.append(
            String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%d\">%.2f s</text>%n",
                x + 4,
                y + 11,
                line.phases().total()))
        .toString();
  }
}
