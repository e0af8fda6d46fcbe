package org.millrace.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The curves of {@link DioBenchmark} as JSON and as a page that needs nothing else. No state. */
public final class DioReport {

  private static final int WIDTH = 420;
  private static final int HEIGHT = 240;
  private static final int LEFT = 64;
  private static final int BOTTOM = 28;
  private static final int RIGHT = 110;
  private static final int TOP = 12;
  private static final String[] COLORS = {"#222", "#3a8f5c", "#2f6fb0", "#c2573a"};

  private DioReport() {}

  /** One object with the machine and all points; rates are bytes in a second. */
  public static String json(Machine machine, List<DioCurve> curves) {
    String points = curves.stream().map(DioReport::points).collect(Collectors.joining(",\n    "));
    return """
        {
          "machine": %s,
          "points": [
            %s
          ]
        }
        """
        .formatted(JsonReport.machine(machine), points);
  }

  private static String points(DioCurve curve) {
    return curve.lines().stream()
        .flatMap(
            line ->
                line.rates().entrySet().stream()
                    .map(
                        point ->
                            String.format(
                                Locale.ROOT,
                                "{\"medium\": %s, \"op\": \"%s\", \"order\": \"%s\", \"way\": %s,"
                                    + " \"bytes\": %d, \"bytesPerSecond\": %.0f}",
                                JsonReport.quote(curve.medium()),
                                curve.write() ? "write" : "read",
                                curve.random() ? "random" : "sequential",
                                JsonReport.quote(line.way()),
                                point.getKey(),
                                point.getValue())))
        .collect(Collectors.joining(",\n    "));
  }

  /** The page: a chart for each curve, and the tables. */
  public static String page(Machine machine, List<DioCurve> curves) {
    StringBuilder charts = new StringBuilder();
    StringBuilder tables = new StringBuilder();
    for (DioCurve curve : curves) {
      charts.append(chart(curve));
      tables.append(HtmlReport.escape(curve.table())).append("\n\n");
    }
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"/><title>millrace bench dio</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        figure { display: inline-block; margin: 0 1em 1em 0; }
        text { font: 11px sans-serif; fill: #444; }
        .grid { stroke: #ddd; } .line { fill: none; stroke-width: 2; }
        </style></head><body>
        <h1>millrace bench dio</h1>
        <p>%s, %d processors, Java %s, %s. Rates of one rank that waits for each dio_read or dio_write, against the
        size of its requests: local is a node in its own process, the others are in another one.</p>
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
            charts,
            tables);
  }

  private static String chart(DioCurve curve) {
    List<Integer> sizes = curve.sizes();
    double most =
        curve.lines().stream()
            .flatMap(line -> line.rates().values().stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    double first = log(sizes.getFirst());
    double span = Math.max(1, log(sizes.getLast()) - first);
    StringBuilder svg = new StringBuilder();
    for (int i = 0; i <= 4; i++) {
      double y = y(most * i / 4, most);
      svg.append(
          String.format(
              Locale.ROOT,
              "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\""
                  + " text-anchor=\"end\">%s</text>%n",
              LEFT,
              y,
              LEFT + WIDTH,
              LEFT - 4,
              y + 4,
              Unit.BYTES_PER_SECOND.format(most * i / 4)));
    }
    for (int bytes : sizes) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              x(bytes, first, span),
              TOP + HEIGHT + 16,
              Shown.bytes(bytes)));
    }
    double last = -100;
    for (int i = 0; i < curve.lines().size(); i++) {
      DioCurve.Line line = curve.lines().get(i);
      String color = COLORS[i % COLORS.length];
      String path =
          line.rates().entrySet().stream()
              .map(point -> place(point, first, span, most))
              .collect(Collectors.joining("L", "M", ""));
      last = TOP + 14 * i;
      svg.append(
          String.format(
              Locale.ROOT,
              "<path class=\"line\" stroke=\"%s\" d=\"%s\"/><path class=\"line\" stroke=\"%s\""
                  + " d=\"M%d %.1fh14\"/><text x=\"%d\" y=\"%.1f\">%s</text>%n",
              color,
              path,
              color,
              LEFT + WIDTH + 8,
              last + 4,
              LEFT + WIDTH + 26,
              last + 8,
              HtmlReport.escape(line.way())));
    }
    return "<figure><figcaption>%s</figcaption><svg width=\"%d\" height=\"%d\" role=\"img\">%n%s</svg></figure>%n"
        .formatted(
            HtmlReport.escape(curve.title()), LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, svg);
  }

  private static String place(
      Map.Entry<Integer, Double> point, double first, double span, double most) {
    return String.format(
        Locale.ROOT, "%.1f %.1f", x(point.getKey(), first, span), y(point.getValue(), most));
  }

  private static double x(int bytes, double first, double span) {
    return LEFT + WIDTH * (log(bytes) - first) / span;
  }

  private static double y(double rate, double most) {
    return TOP + HEIGHT * (1 - rate / most);
  }

  private static double log(int bytes) {
    return Math.log(bytes) / Math.log(2);
  }
}
