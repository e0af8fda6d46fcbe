package org.millrace.sim.kotz;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Figures 2 and 3 as SVG: the CPU that is left against the throughput, a point for each pattern and
 * file system; where the paper printed numbers, a ring for them.
 */
final class Scatter {

  private static final int WIDTH = 560;
  private static final int HEIGHT = 400;
  private static final int LEFT = 60;
  private static final int TOP = 20;
  private static final int RIGHT = 20;
  private static final int BOTTOM = 50;

  private final List<Outcome> outcomes;
  private final ToDoubleFunction<Outcome> here;
  private final ToDoubleFunction<Paper.Numbers> paper;
  private final double most;

  private Scatter(
      List<Outcome> outcomes,
      ToDoubleFunction<Outcome> here,
      ToDoubleFunction<Paper.Numbers> paper) {
    this.outcomes = outcomes;
    this.here = here;
    this.paper = paper;
    double highest =
        outcomes.stream().mapToDouble(Outcome::megabytesPerSecond).max().orElse(1) * 1.05;
    double unit = Math.pow(10, Math.floor(Math.log10(highest)));
    this.most = Math.ceil(highest / unit * 2) / 2 * unit;
  }

  /** Figure 2: an application that does not synchronize. */
  static String figure2(List<Outcome> outcomes) {
    return new Scatter(outcomes, one -> 100 * one.free(), Paper.Numbers::free).svg();
  }

  /** Figure 3: an application with barriers. */
  static String figure3(List<Outcome> outcomes) {
    return new Scatter(outcomes, one -> 100 * one.freeWithBarriers(), Paper.Numbers::barriers)
        .svg();
  }

  private String svg() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\">\n".formatted(WIDTH, HEIGHT, WIDTH));
    axes(svg);
    for (Outcome one : outcomes) {
      if (one.hardware().equals(Hardware.TABLE_1.name())) {
        Paper.of(one.pattern(), one.system())
            .ifPresent(its -> ring(svg, one.system(), its.megabytes(), paper.applyAsDouble(its)));
      }
      point(svg, one);
    }
    return svg.append("</svg>\n").toString();
  }

  private void axes(StringBuilder svg) {
    for (int i = 0; i <= 5; i++) {
      double share = i / 5.0;
      int x = x(most * share);
      int y = y(100 * share);
      svg.append(
          "<path class=\"grid\" d=\"M%d %dV%dM%d %dH%d\"/>\n"
              .formatted(x, TOP, HEIGHT - BOTTOM, LEFT, y, WIDTH - RIGHT));
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.4g</text>"
                  + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>%n",
              x,
              HEIGHT - BOTTOM + 18,
              most * share,
              LEFT - 8,
              y + 4,
              100 * share));
    }
    svg.append(
        ("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">throughput of the I/O application, MB/s"
                + "</text>\n")
            .formatted((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10));
    svg.append(
        ("<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">CPU for the"
                + " computing application, %%</text>\n")
            .formatted((TOP + HEIGHT - BOTTOM) / 2));
  }

  private void ring(StringBuilder svg, FileSystem system, double megabytes, double percent) {
    svg.append(
        "<circle class=\"ring %s\" cx=\"%d\" cy=\"%d\" r=\"8\"><title>paper</title></circle>\n"
            .formatted(word(system), x(megabytes), y(percent)));
  }

  private void point(StringBuilder svg, Outcome one) {
    String title =
        String.format(
            Locale.ROOT,
            "%s, %s: %.1f MB/s, %.1f %%",
            one.pattern().name(),
            one.system().words(),
            one.megabytesPerSecond(),
            here.applyAsDouble(one));
    svg.append(
        "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"4\"><title>%s</title></circle>\n"
            .formatted(
                word(one.system()),
                x(one.megabytesPerSecond()),
                y(here.applyAsDouble(one)),
                title));
  }

  private static String word(FileSystem system) {
    return system == FileSystem.TRADITIONAL ? "t" : "d";
  }

  private int x(double megabytes) {
    return (int) Math.round(LEFT + megabytes / most * (WIDTH - LEFT - RIGHT));
  }

  private static int y(double percent) {
    return (int) Math.round(HEIGHT - BOTTOM - percent / 100 * (HEIGHT - TOP - BOTTOM));
  }
}
