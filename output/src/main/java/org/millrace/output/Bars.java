package org.millrace.output;

import java.util.ArrayList;
import java.util.List;

/**
 * Bars below each other, as long as their values: a label to the left, words to the right, lines
 * across where something ends. A bar that is longer than the axis ends with an arrow. Used by one
 * thread.
 */
public final class Bars {

  private static final int BAR = 13;
  private static final int GAP = 4;
  private static final int HEADING = 20;
  private static final int TICKS = 20;
  private static final double TIP = BAR / 2.0;

  /** A bar that exceeds the axis by less is drawn as long as the axis. */
  private static final double SLACK = 1.001;

  /**
   * A part of a bar; the next begins where it ends.
   *
   * @param value how long it is on the axis
   */
  public record Part(double value, Paint paint) {}

  private record Bar(double y, String label, String words, List<Part> parts) {}

  private record Line(double value, Paint paint, double from, double to) {}

  private record Heading(double y, String words) {}

  // constant after construction
  private final Axis axis;
  private final int left;
  private final int length;
  private final int right;

  private final List<Bar> bars = new ArrayList<>();
  private final List<Line> lines = new ArrayList<>();
  private final List<Heading> headings = new ArrayList<>();
  private double y;
  private double group;

  /**
   * No bars yet.
   *
   * @param axis what their lengths mean; its ticks are drawn if there are any
   * @param left room for labels
   * @param length of a bar that ends where the axis does
   * @param right room for words
   */
  public Bars(Axis axis, int left, int length, int right) {
    this.axis = axis;
    this.left = left;
    this.length = length;
    this.right = right;
  }

  /** A scale from 0 on without ticks, for bars that say their values in words. */
  public static Axis scale(double high) {
    return new Axis("", false, 0, high > 0 ? high : 1, List.of(), value -> "");
  }

  /** A single bar for a cell of a table; it ends at its length if the value is {@code high}. */
  public static Svg cell(double value, double high, int length, Paint paint) {
    Axis axis = scale(high);
    Svg svg = new Svg(length, BAR);
    svg.rect(0, 0, Math.max(1, axis.share(value) * length), BAR, paint);
    return svg;
  }

  /**
   * A bar for a cell of a table that begins at a line in the middle, for 1, and ends at a factor:
   * to the right if it is more, to the left if it is less, in steps that are equal for each
   * doubling. What exceeds the scale ends with an arrow.
   *
   * @param most the factor at the right end; its inverse is at the left one
   */
  public static Svg factor(double factor, double most, int length, Paint paint, String title) {
    double middle = length / 2.0;
    double step = middle / (Math.log(most) / Math.log(2));
    double end = Math.log(Math.max(factor, Double.MIN_NORMAL)) / Math.log(2) * step;
    double x = Math.clamp(end, -middle, middle);
    Svg svg = new Svg(length, BAR);
    for (double at = step; at < middle + 0.5; at += step) {
      svg.line(middle + at, 0, middle + at, BAR, Paint.RULE);
      svg.line(middle - at, 0, middle - at, BAR, Paint.RULE);
    }
    boolean beyond = Math.abs(end) > middle + 0.5;
    double tip = beyond ? Math.signum(x) * BAR / 2.0 : 0;
    double from = Math.min(middle, middle + x - tip);
    svg.rect(from, 1, Math.max(1, Math.abs(x - tip)), BAR - 2, paint, title);
    if (beyond) {
      svg.path(tip(middle + x - tip, 1, middle + x, BAR - 1), paint);
    }
    return svg.line(middle, 0, middle, BAR, Paint.LIMIT);
  }

  /** Begins a group under words; what follows belongs to it. */
  public Bars group(String words) {
    y += y == 0 ? 0 : GAP;
    if (!words.isEmpty()) {
      headings.add(new Heading(y + 14, words));
      y += HEADING;
    }
    group = y;
    return this;
  }

  /** Adds a bar. */
  public Bars bar(String label, String words, Part... parts) {
    bars.add(new Bar(y, label, words, List.of(parts)));
    y += BAR + GAP;
    return this;
  }

  /** Draws a line over the bars of this group, at a value. */
  public Bars line(double value, Paint paint) {
    lines.add(new Line(value, paint, group, y));
    return this;
  }

  /** The drawing. */
  public Svg draw() {
    boolean hasTicks = !axis.ticks().isEmpty();
    Svg svg = new Svg(left + length + right, y + (hasTicks ? TICKS : 0));
    for (double tick : axis.ticks()) {
      double x = x(tick);
      svg.line(x, 0, x, y, Paint.RULE);
      svg.text(x, y + 14, Svg.Anchor.MIDDLE, Paint.SOFT, axis.text().apply(tick));
    }
    for (Heading one : headings) {
      svg.text(0, one.y, Svg.Anchor.START, Paint.SOFT, one.words);
    }
    for (Bar one : bars) {
      draw(svg, one);
    }
    for (Line one : lines) {
      svg.line(x(one.value), one.from, x(one.value), one.to, one.paint);
    }
    return svg;
  }

  private void draw(Svg svg, Bar one) {
    svg.text(left - 8, one.y + BAR - 2, Svg.Anchor.END, Paint.TEXT, one.label);
    double from = left;
    double sum = axis.logarithmic() ? 0 : axis.low();
    for (Part part : one.parts) {
      boolean fits = sum <= axis.high();
      sum += part.value;
      boolean beyond = fits && sum > axis.high() * SLACK;
      double to = Math.max(from + 1, x(sum) - (beyond ? TIP : 0));
      svg.rect(from, one.y, to - from, BAR, part.paint);
      if (beyond) {
        svg.path(tip(to, one.y, to + TIP, one.y + BAR), part.paint);
      }
      from = to;
    }
    svg.text(left + length + 8, one.y + BAR - 2, Svg.Anchor.START, Paint.SOFT, one.words);
  }

  /** An arrow's head between two corners, as far as the second. */
  private static String tip(double x, double y, double toX, double toY) {
    return "M%s %sL%s %sL%s %sZ"
        .formatted(
            Svg.number(x),
            Svg.number(y),
            Svg.number(toX),
            Svg.number((y + toY) / 2),
            Svg.number(x),
            Svg.number(toY));
  }

  private double x(double value) {
    return left + axis.share(value) * length;
  }
}
