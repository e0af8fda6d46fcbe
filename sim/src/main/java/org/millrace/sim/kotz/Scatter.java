package org.millrace.sim.kotz;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Figures 2 and 3 as SVG that needs nothing else: the CPU that is left against the throughput, a
 * mark for each pattern and file system; where the paper printed numbers, a larger hollow one for
 * them.
 */
public final class Scatter {

  private static final int WIDTH = 620;
  private static final int HEIGHT = 440;
  private static final int LEFT = 60;
  private static final int TOP = 64;
  private static final int RIGHT = 24;
  private static final int BOTTOM = 50;
  private static final int SMALL = 4;
  private static final int LARGE = 9;

  private final String heading;
  private final List<Outcome> outcomes;
  private final ToDoubleFunction<Outcome> here;
  private final ToDoubleFunction<Paper.Numbers> paper;
  private final double step;
  private final double most;
  private final StringBuilder svg = new StringBuilder();

  private Scatter(
      String heading,
      List<Outcome> outcomes,
      ToDoubleFunction<Outcome> here,
      ToDoubleFunction<Paper.Numbers> paper) {
    this.heading = heading;
    this.outcomes = outcomes;
    this.here = here;
    this.paper = paper;
    double highest =
        outcomes.stream().mapToDouble(Outcome::megabytesPerSecond).max().orElse(1) * 1.05;
    this.step = step(highest);
    this.most = Math.ceil(highest / step) * step;
  }

  /** The distance of lines of a grid, so that there are some but not many: 1, 2 or 5 times ten. */
  private static double step(double highest) {
    double unit = Math.pow(10, Math.floor(Math.log10(highest)) - 1);
    for (double times : new double[] {1, 2, 5, 10}) {
      if (highest / (times * unit) <= 8) {
        return times * unit;
      }
    }
    return 20 * unit;
  }

  /** Figure 2: an application that does not synchronize. */
  public static String figure2(List<Outcome> outcomes) {
    return new Scatter(
            name(outcomes, 2) + ": no synchronization",
            outcomes,
            one -> 100 * one.free(),
            Paper.Numbers::free)
        .draw();
  }

  /** Figure 3: an application with barriers. */
  public static String figure3(List<Outcome> outcomes) {
    String interval =
        Hardware.all().stream()
            .filter(one -> one.name().equals(outcomes.getFirst().hardware()))
            .map(one -> number(one.computing().intervalNanos() / 1e6) + " ms")
            .findFirst()
            .orElse("interval");
    return new Scatter(
            name(outcomes, 3) + ": a barrier every " + interval,
            outcomes,
            one -> 100 * one.freeWithBarriers(),
            Paper.Numbers::barriers)
        .draw();
  }

  private static String name(List<Outcome> outcomes, int number) {
    return (Paper.hasMade(outcomes.getFirst()) ? "Figure " : "As figure ") + number;
  }

  private String draw() {
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\" fill=\"#444\" role=\"img\">\n"
                + "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n")
            .formatted(WIDTH, HEIGHT, WIDTH, WIDTH, HEIGHT));
    legend();
    axes();
    for (Outcome one : outcomes) {
      Paper.of(one).ifPresent(its -> ring(one, its));
    }
    outcomes.forEach(this::point);
    return svg.append("</svg>\n").toString();
  }

  private boolean hasPaper() {
    return Paper.hasMade(outcomes.getFirst());
  }

  private void legend() {
    text(
        LEFT,
        20,
        "start",
        "<tspan font-weight=\"bold\">" + heading + "</tspan>, " + outcomes.getFirst().hardware());
    int x = LEFT + 6;
    for (FileSystem system : FileSystem.values()) {
      mark(system, x, 40, SMALL, "");
      text(x + 12, 44, "start", system.words());
      if (hasPaper()) {
        mark(system, x + 160, 40, LARGE, "");
        text(x + 174, 44, "start", "paper");
      }
      x += 260;
    }
  }

  private void axes() {
    for (int percent = 0; percent <= 100; percent += 20) {
      line("M%d %dH%d".formatted(LEFT, y(percent), WIDTH - RIGHT));
      text(LEFT - 8, y(percent) + 4, "end", Integer.toString(percent));
    }
    for (int i = 0; i * step < most + step / 2; i++) {
      line("M%d %dV%d".formatted(x(i * step), TOP, HEIGHT - BOTTOM));
      text(x(i * step), HEIGHT - BOTTOM + 18, "middle", number(i * step));
    }
    int middle = (LEFT + WIDTH - RIGHT) / 2;
    text(middle, HEIGHT - 10, "middle", "throughput of the I/O application, MB/s");
    svg.append(
        ("<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">CPU for the"
                + " computing application, %%</text>\n")
            .formatted((TOP + HEIGHT - BOTTOM) / 2));
  }

  private void line(String path) {
    svg.append("<path stroke=\"#ddd\" d=\"").append(path).append("\"/>\n");
  }

  private void text(int x, int y, String anchor, String words) {
    svg.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n".formatted(x, y, anchor, words));
  }

  private static String number(double value) {
    long whole = Math.round(value);
    return Math.abs(value - whole) < 1e-6
        ? Long.toString(whole)
        : String.format(Locale.ROOT, "%.1f", value);
  }

  private void ring(Outcome one, Paper.Numbers its) {
    double percent = paper.applyAsDouble(its);
    mark(
        one.system(),
        x(its.megabytes()),
        y(percent),
        LARGE,
        title("paper, " + one.pattern().role(), one.system(), its.megabytes(), percent));
  }

  private void point(Outcome one) {
    double percent = here.applyAsDouble(one);
    double megabytes = one.megabytesPerSecond();
    String title = title(one.pattern().name(), one.system(), megabytes, percent);
    mark(one.system(), x(megabytes), y(percent), SMALL, title);
  }

  private static String title(String name, FileSystem system, double megabytes, double percent) {
    return String.format(
        Locale.ROOT,
        "<title>%s, %s: %.1f MB/s, %.1f %%</title>",
        name,
        system.words(),
        megabytes,
        percent);
  }

  /** A small mark is ours, a large hollow one the paper's; circles and squares, for each system. */
  private void mark(FileSystem system, int x, int y, int size, String title) {
    boolean circle = system == FileSystem.TRADITIONAL;
    String color = circle ? "#c2573a" : "#2f6fa8";
    String paint =
        size == LARGE
            ? "fill=\"none\" stroke-width=\"1.5\" stroke=\"" + color + "\""
            : "fill=\"" + color + "\" fill-opacity=\"0.75\"";
    svg.append(
        circle
            ? "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" %s>%s</circle>\n"
                .formatted(x, y, size, paint, title)
            : "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s>%s</rect>\n"
                .formatted(x - size, y - size, 2 * size, 2 * size, paint, title));
  }

  private int x(double megabytes) {
    return (int) Math.round(LEFT + megabytes / most * (WIDTH - LEFT - RIGHT));
  }

  private static int y(double percent) {
    return (int) Math.round(HEIGHT - BOTTOM - percent / 100 * (HEIGHT - TOP - BOTTOM));
  }
}
