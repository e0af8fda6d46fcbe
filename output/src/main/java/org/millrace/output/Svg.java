package org.millrace.output;

import java.util.Locale;

/**
 * A drawing: shapes and texts at places counted from the upper left corner. It becomes a file that
 * stands alone or a part of a {@link Page}. Words are escaped here, so callers write them as they
 * are. Used by one thread.
 */
public final class Svg {

  /** Which part of a text is at its place. */
  public enum Anchor {
    /** Its first letter. */
    START,
    /** Its middle. */
    MIDDLE,
    /** Its last letter. */
    END
  }

  // constant after construction
  private final double width;
  private final double height;

  private final StringBuilder body = new StringBuilder();

  /** An empty drawing. */
  public Svg(double width, double height) {
    this.width = width;
    this.height = height;
  }

  /** How wide it is. */
  public double width() {
    return width;
  }

  /** How high it is. */
  public double height() {
    return height;
  }

  /** A rectangle from its upper left corner on. */
  public Svg rect(double x, double y, double wide, double high, Paint paint) {
    return rect(x, y, wide, high, paint, "");
  }

  /** A rectangle with words that a reader sees who points at it; none if they are empty. */
  public Svg rect(double x, double y, double wide, double high, Paint paint, String title) {
    return shape(
        "rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\""
            .formatted(number(x), number(y), number(wide), number(high)),
        paint,
        title);
  }

  /** A circle with words that a reader sees who points at it; none if they are empty. */
  public Svg circle(double x, double y, double radius, Paint paint, String title) {
    return shape(
        "circle cx=\"%s\" cy=\"%s\" r=\"%s\"".formatted(number(x), number(y), number(radius)),
        paint,
        title);
  }

  /** A line. */
  public Svg line(double x1, double y1, double x2, double y2, Paint paint) {
    return path("M%s %sL%s %s".formatted(number(x1), number(y1), number(x2), number(y2)), paint);
  }

  /** A path in SVG's own words. */
  public Svg path(String path, Paint paint) {
    return shape("path d=\"" + path + "\"", paint, "");
  }

  /** Words on one line; {@code y} is where letters stand. */
  public Svg text(double x, double y, Anchor anchor, Paint paint, String words) {
    return text("x=\"%s\" y=\"%s\"".formatted(number(x), number(y)), anchor, paint, words);
  }

  /** Words that are read upwards, with their middle at a place. */
  public Svg upward(double x, double y, Paint paint, String words) {
    String place = "transform=\"translate(%s %s) rotate(-90)\"".formatted(number(x), number(y));
    return text(place, Anchor.MIDDLE, paint, words);
  }

  private Svg text(String place, Anchor anchor, Paint paint, String words) {
    String where =
        anchor == Anchor.START
            ? ""
            : " text-anchor=\"" + anchor.name().toLowerCase(Locale.ROOT) + '"';
    body.append("<text %s%s %s>".formatted(place, where, paint.attributes()));
    body.append(escaped(words)).append("</text>\n");
    return this;
  }

  /** Another drawing with its upper left corner at a place of this one. */
  public Svg place(double x, double y, Svg other) {
    body.append("<g transform=\"translate(%s %s)\">\n".formatted(number(x), number(y)));
    body.append(other.body).append("</g>\n");
    return this;
  }

  private Svg shape(String shape, Paint paint, String title) {
    body.append('<').append(shape).append(' ').append(paint.attributes());
    if (title.isEmpty()) {
      body.append("/>\n");
    } else {
      String name = shape.substring(0, shape.indexOf(' '));
      body.append("><title>").append(escaped(title)).append("</title></").append(name);
      body.append(">\n");
    }
    return this;
  }

  /** The text of a file that needs no other. */
  public String file() {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" "
        + "viewBox=\"0 0 %1$s %2$s\" width=\"%1$s\" height=\"%2$s\""
            .formatted(number(width), number(height))
        + " role=\"img\">\n<style>\n"
        + Style.ofPicture()
        + "</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
        + body
        + "</svg>\n";
  }

  /** The text of a part of a page, whose style sheet it uses. */
  String inline() {
    return "<svg viewBox=\"0 0 %1$s %2$s\" width=\"%1$s\" height=\"%2$s\" role=\"img\">%n"
            .formatted(number(width), number(height))
        + body
        + "</svg>";
  }

  /** Up to one decimal. */
  static String number(double value) {
    double rounded = Math.rint(value * 10) / 10;
    return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
  }

  /** Text as it may stand between tags. */
  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
