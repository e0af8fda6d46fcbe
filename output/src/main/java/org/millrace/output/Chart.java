package org.millrace.output;

import java.util.ArrayList;
import java.util.List;

/** Points and curves over two axes. Used by one thread. */
public final class Chart {

  private static final int LEFT = 68;
  private static final int RIGHT = 24;
  private static final int TOP = 34;
  private static final int BOTTOM = 46;
  private static final int LEGEND_LINE = 20;
  private static final int SMALL = 4;
  private static final int LARGE = 9;

  /** How a series is drawn. */
  public enum Mark {
    /** Dots with a curve through them. */
    CURVE,
    /** Dots. */
    DOT,
    /** Squares. */
    SQUARE,
    /** Rings, larger than dots, so that one can be around each. */
    RING,
    /** Large squares that are not filled. */
    FRAME
  }

  /**
   * A point.
   *
   * @param title what a reader sees who points at it
   */
  public record Point(double x, double y, String title) {}

  /**
   * Points that belong together.
   *
   * @param name for the legend; empty if it has no place there
   * @param colour the number of its colour
   * @param points in the order in which a curve goes through them
   */
  public record Series(String name, int colour, Mark mark, List<Point> points) {

    /** Keeps a copy of the list. */
    public Series {
      points = List.copyOf(points);
    }
  }

  // constant after construction
  private final String title;
  private final Axis across;
  private final Axis up;
  private final int width;
  private final int height;

  private final List<Series> series = new ArrayList<>();

  /** A chart of a size. */
  public Chart(String title, Axis across, Axis up, int width, int height) {
    this.title = title;
    this.across = across;
    this.up = up;
    this.width = width;
    this.height = height;
  }

  /** Adds a series, in front of those before it. */
  public Chart add(Series one) {
    series.add(one);
    return this;
  }

  /** The drawing without a legend. */
  public Svg draw() {
    Svg svg = new Svg(width, height);
    draw(svg, TOP);
    return svg;
  }

  /** The drawing with a legend below its title. */
  public Svg drawWithLegend() {
    Svg legend = legend(series, width - LEFT - RIGHT);
    Svg svg = new Svg(width, height + legend.height());
    svg.place(LEFT, TOP - 8, legend);
    draw(svg, TOP + legend.height());
    return svg;
  }

  /** The names of series beside their marks, in as many lines as they need. */
  public static Svg legend(List<Series> all, double width) {
    List<Series> named = all.stream().filter(one -> !one.name.isEmpty()).toList();
    double x = 0;
    int lines = named.isEmpty() ? 0 : 1;
    for (Series one : named) {
      x += entry(one);
      if (x > width && x > entry(one)) {
        lines++;
        x = entry(one);
      }
    }
    Svg svg = new Svg(width, lines * LEGEND_LINE);
    x = 0;
    double y = LEGEND_LINE / 2.0;
    for (Series one : named) {
      if (x + entry(one) > width && x > 0) {
        x = 0;
        y += LEGEND_LINE;
      }
      if (one.mark == Mark.CURVE) {
        svg.line(x, y, x + 18, y, Paint.line(one.colour));
      }
      mark(svg, one, x + 9, y, "");
      svg.text(x + 24, y + 4, Svg.Anchor.START, Paint.TEXT, one.name);
      x += entry(one);
    }
    return svg;
  }

  private static double entry(Series one) {
    return 44 + 6.5 * one.name.length();
  }

  private void draw(Svg svg, double top) {
    double bottom = svg.height() - BOTTOM;
    svg.text(LEFT, 20, Svg.Anchor.START, Paint.BOLD, title);
    for (double tick : across.ticks()) {
      double x = x(tick);
      svg.line(x, top, x, bottom, Paint.RULE);
      svg.text(x, bottom + 16, Svg.Anchor.MIDDLE, Paint.SOFT, across.text().apply(tick));
    }
    svg.text(
        (LEFT + width - RIGHT) / 2.0, bottom + 34, Svg.Anchor.MIDDLE, Paint.TEXT, across.label());
    for (double tick : up.ticks()) {
      double y = y(tick, top, bottom);
      svg.line(LEFT, y, width - RIGHT, y, Paint.RULE);
      svg.text(LEFT - 6, y + 4, Svg.Anchor.END, Paint.SOFT, up.text().apply(tick));
    }
    if (!up.label().isEmpty()) {
      svg.upward(14, (top + bottom) / 2, Paint.TEXT, up.label());
    }
    for (Series one : series) {
      draw(svg, one, top, bottom);
    }
  }

  private void draw(Svg svg, Series one, double top, double bottom) {
    StringBuilder path = new StringBuilder();
    for (Point point : one.points) {
      String place = Svg.number(x(point.x)) + ' ' + Svg.number(y(point.y, top, bottom));
      path.append(path.isEmpty() ? "M" : "L").append(place);
    }
    if (one.mark == Mark.CURVE && !path.isEmpty()) {
      svg.path(path.toString(), Paint.line(one.colour));
    }
    for (Point point : one.points) {
      mark(svg, one, x(point.x), y(point.y, top, bottom), point.title);
    }
  }

  private static void mark(Svg svg, Series one, double x, double y, String title) {
    switch (one.mark) {
      case CURVE, DOT -> svg.circle(x, y, SMALL, Paint.fill(one.colour), title);
      case SQUARE ->
          svg.rect(x - SMALL, y - SMALL, 2 * SMALL, 2 * SMALL, Paint.fill(one.colour), title);
      case RING -> svg.circle(x, y, LARGE, Paint.line(one.colour), title);
      case FRAME ->
          svg.rect(x - LARGE, y - LARGE, 2 * LARGE, 2 * LARGE, Paint.line(one.colour), title);
    }
  }

  private double x(double value) {
    return LEFT + across.share(value) * (width - LEFT - RIGHT);
  }

  private double y(double value, double top, double bottom) {
    return bottom - up.share(value) * (bottom - top);
  }
}
