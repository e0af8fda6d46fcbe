package org.millrace.sim.scale;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.millrace.plan.Strategy;

/**
 * One number of the outcomes of one task against the number of nodes, a curve for each strategy, as
 * a part of an SVG picture. Both scales are logarithmic, unless a share is drawn.
 */
final class Curves {

  static final int WIDTH = 430;
  static final int HEIGHT = 290;

  private static final int LEFT = 64;
  private static final int TOP = 34;
  private static final int RIGHT = 24;
  private static final int BOTTOM = 46;
  private static final String[] COLORS = {"#888888", "#d08b1f", "#3a8f5c", "#7a4fa3", "#2f6fa8"};

  private final List<ScaleOutcome> outcomes;
  private final ToDoubleFunction<ScaleOutcome> number;
  private final boolean share;
  private final double lowest;
  private final double highest;
  private final double mostNodes;
  private final StringBuilder svg = new StringBuilder();

  private Curves(
      List<ScaleOutcome> outcomes, ToDoubleFunction<ScaleOutcome> number, boolean share) {
    this.outcomes = outcomes;
    this.number = number;
    this.share = share;
    double least = outcomes.stream().mapToDouble(number).min().orElse(1);
    double most = outcomes.stream().mapToDouble(number).max().orElse(1);
    this.lowest = share ? 0 : Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-9))));
    this.highest = share ? 100 : Math.max(10 * lowest, Math.pow(10, Math.ceil(Math.log10(most))));
    int largest = outcomes.stream().mapToInt(one -> one.what().nodes()).max().orElse(1);
    this.mostNodes = Math.max(4, largest);
  }

  /** A number that is positive. */
  static String of(
      String title, List<ScaleOutcome> outcomes, ToDoubleFunction<ScaleOutcome> number) {
    return new Curves(outcomes, number, false).draw(title);
  }

  /** A number of percent. */
  static String ofShare(
      String title, List<ScaleOutcome> outcomes, ToDoubleFunction<ScaleOutcome> number) {
    return new Curves(outcomes, number, true).draw(title);
  }

  private String draw(String title) {
    svg.append("<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n".formatted(LEFT, title));
    axes();
    for (Strategy strategy : Trial.strategies()) {
      curve(strategy);
    }
    return svg.toString();
  }

  private void axes() {
    for (int nodes = 1; nodes <= mostNodes; nodes *= 4) {
      line(x(nodes), TOP, x(nodes), HEIGHT - BOTTOM);
      text(x(nodes), HEIGHT - BOTTOM + 16, "middle", String.format(Locale.ROOT, "%,d", nodes));
    }
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 34, "middle", "nodes, and as many ranks");
    for (double value = lowest; value <= highest * 1.001; value = share ? value + 20 : value * 10) {
      line(LEFT, y(value), WIDTH - RIGHT, y(value));
      text(LEFT - 6, y(value) + 4, "end", tick(value));
    }
  }

  private static String tick(double value) {
    return value >= 1 || value == 0
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.6f", value).replaceAll("0+$", "");
  }

  private void curve(Strategy strategy) {
    StringBuilder points = new StringBuilder();
    for (ScaleOutcome one : outcomes) {
      if (one.what().strategy() == strategy) {
        int x = x(one.what().nodes());
        int y = y(number.applyAsDouble(one));
        points.append(points.isEmpty() ? "M" : "L").append(x).append(' ').append(y);
        svg.append(
            "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\"><title>%s</title></circle>\n"
                .formatted(x, y, color(strategy), one.what()));
      }
    }
    if (!points.isEmpty()) {
      svg.append(
          "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n"
              .formatted(points, color(strategy)));
    }
  }

  /** The color of a strategy in all pictures. */
  static String color(Strategy strategy) {
    return COLORS[Trial.strategies().indexOf(strategy)];
  }

  private void line(int x1, int y1, int x2, int y2) {
    svg.append(
        "<path d=\"M%d %dL%d %d\" stroke=\"#ddd\" fill=\"none\"/>\n".formatted(x1, y1, x2, y2));
  }

  private void text(int x, int y, String anchor, String words) {
    svg.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n".formatted(x, y, anchor, words));
  }

  private int x(double nodes) {
    double at = Math.log(nodes) / Math.log(mostNodes);
    return (int) Math.round(LEFT + at * (WIDTH - LEFT - RIGHT));
  }

  private int y(double value) {
    double at =
        share
            ? value / highest
            : Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest);
    return (int) Math.round(HEIGHT - BOTTOM - at * (HEIGHT - TOP - BOTTOM));
  }
}
