package org.millrace.sim.passion;

import java.util.List;
import java.util.Locale;

/**
 * Seconds as bars on a logarithmic scale, one group for each workload, the paper's beside ours.
 * Used by one thread, once.
 */
final class Bars {

  private static final int LEFT = 190;
  private static final int WIDTH = 760;
  private static final int RIGHT = 90;
  private static final int TOP = 40;
  private static final int BAR = 13;
  private static final int GAP = 14;
  private final List<Outcome> outcomes;
  private final double lowest;
  private final double highest;
  private final StringBuilder svg = new StringBuilder();
  private int y = TOP;

  private Bars(List<Outcome> outcomes) {
    this.outcomes = outcomes;
    double least = outcomes.stream().mapToDouble(Outcome::seconds).min().orElse(1);
    double most =
        outcomes.stream()
            .mapToDouble(one -> Math.max(one.seconds(), one.workload().paper(one.method())))
            .max()
            .orElse(1);
    lowest = Math.pow(10, Math.floor(Math.log10(least)));
    highest = Math.pow(10, Math.ceil(Math.log10(most)));
  }

  /** The drawing. */
  static String of(String title, List<Outcome> outcomes) {
    return new Bars(outcomes).draw(title);
  }

  private String draw(String title) {
    for (Workload workload : PassionTables.workloads(outcomes)) {
      text(LEFT - 8, y + BAR, "end", workload.name());
      for (Method method : Method.values()) {
        PassionTables.find(outcomes, workload, method).ifPresent(this::bars);
      }
      y += GAP;
    }
    String body = svg.toString();
    svg.setLength(0);
    scale();
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">
        <text x="%d" y="18" font-weight="bold">%s</text>
        %s%s</svg>
        """
        .formatted(WIDTH, y + 30, LEFT, title, svg, body);
  }

  private void scale() {
    for (double value = lowest; value <= highest * 1.001; value *= 10) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>%n",
              x(value),
              TOP - 6,
              x(value),
              y));
      text(x(value), y + 14, "middle", String.format(Locale.ROOT, "%s s", trimmed(value)));
    }
  }

  private static String trimmed(double value) {
    return value >= 1
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.6f", value).replaceAll("0+$", "");
  }

  private void bars(Outcome one) {
    String color =
        switch (one.method()) {
          case DIRECT -> "#c44";
          case TWO_PHASE -> "#48a";
          case EXTENDED -> "#2a6";
          case BUFFERED -> "#9c8";
        };
    String words = PassionTables.mark(one) + PassionTables.number(one.seconds());
    bar(one.seconds(), color, color, words + " " + one.method().words());
    double paper = one.workload().paper(one.method());
    if (paper > 0) {
      bar(paper, "none", color, PassionTables.number(paper) + " paper");
    }
  }

  private void bar(double seconds, String fill, String stroke, String words) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"%s\"/>%n",
            LEFT,
            y,
            x(seconds) - LEFT,
            BAR - 2,
            fill,
            stroke));
    text(x(seconds) + 4, y + BAR - 3, "start", words);
    y += BAR;
  }

  private double x(double seconds) {
    double share = Math.log10(seconds / lowest) / Math.log10(highest / lowest);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }

  private void text(double x, double at, String anchor, String words) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            x,
            at,
            anchor,
            words));
  }
}
