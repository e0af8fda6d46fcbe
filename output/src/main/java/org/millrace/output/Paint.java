package org.millrace.output;

/**
 * How a shape or a text is painted: a class of the style sheet, which knows a light and a dark
 * colour for it, or a colour that is right on both. Immutable.
 *
 * @param attributes as they stand in a tag
 */
public record Paint(String attributes) {

  /** Text as such. */
  public static final Paint TEXT = of("text");

  /** Text of titles. */
  public static final Paint BOLD = of("bold");

  /** Text that explains. */
  public static final Paint SOFT = of("soft");

  /** Text on a coloured shape, dark on either background. */
  public static final Paint ON_COLOUR = of("on");

  /** Lines of a grid. */
  public static final Paint RULE = of("rule");

  /** Lines that separate. */
  public static final Paint BORDER = of("border");

  /** A line that nothing passes. */
  public static final Paint LIMIT = of("limit");

  /** A line that is to be reached. */
  public static final Paint TARGET = of("target");

  /** A shape that is compared with others. */
  public static final Paint PLAIN = of("plain");

  /** A shape that is as it should be. */
  public static final Paint GOOD = of("good");

  /** A shape that is not as it should be. */
  public static final Paint BAD = of("bad");

  private static Paint of(String name) {
    return new Paint("class=\"" + name + "\"");
  }

  /** A shape of a series, by its number. */
  public static Paint fill(int series) {
    return of("fill" + Math.floorMod(series, Style.SERIES));
  }

  /** A line of a series, or the edge of a shape that is not filled. */
  public static Paint line(int series) {
    return of("line" + Math.floorMod(series, Style.SERIES));
  }

  /** A shape of one of so many owners: colours as different as there is room on their circle. */
  public static Paint owner(int owner, int owners) {
    int hue = (int) (360L * owner / Math.max(1, owners));
    // Of many, neighbours differ in lightness, too, so that sixteen can be told apart.
    int lightness = owners > 8 && owner % 2 == 1 ? 50 : 66;
    return new Paint("fill=\"hsl(%s,60%%,%s%%)\"".formatted(hue, lightness));
  }

  /** The same, paler. */
  public Paint pale() {
    return new Paint(attributes + " opacity=\"0.4\"");
  }
}
