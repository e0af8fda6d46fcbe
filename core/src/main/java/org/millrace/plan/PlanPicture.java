package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Geometry;
import org.millrace.access.Shape;

/**
 * A picture, as SVG, of how a two-dimensional array is read or written: which rank wants which
 * element, who owns which part of the file, and what a plan transfers. Rows go down, columns to the
 * right, whatever the storage order.
 *
 * <p>Of arrays with more rows or columns than the picture has squares, each square shows one
 * element of those that fall on it, at a place that differs from square to square, so that fine
 * patterns look fine and do not vanish. Holds no state.
 */
public final class PlanPicture {

  private static final int MARGIN = 24;
  private static final int TOP = 64;
  private static final int MOST_LEGEND = 16;
  private static final int LEGEND_LINE = 22;

  private PlanPicture() {}

  /**
   * Draws a plan for an array.
   *
   * @throws IllegalArgumentException unless the shape has two dimensions and some elements
   */
  public static String svg(Planned planned, Geometry array) {
    Shape shape = array.shape();
    if (shape.dimensions() != 2 || shape.elements() == 0) {
      throw new IllegalArgumentException(
          "a picture needs an array of two dimensions with elements, this has the shape "
              + shape.dims());
    }
    Squares squares = new Squares(shape, array.elementBytes(), array.start());
    Transfers transfers = new Transfers(planned);
    Request request = planned.plan().request();
    StringBuilder svg = new StringBuilder();
    int height = TOP + squares.height() + 40 + LEGEND_LINE * 2 + MARGIN;
    int width = 3 * squares.width() + 4 * MARGIN;
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" \
        font-family="sans-serif" font-size="13">
        <rect width="100%%" height="100%%" fill="#ffffff"/>
        """
            .formatted(width, height, width, height));
    Wishes wishes = new Wishes(request);
    boolean hasDomains = transfers.domains() != null;
    String owners = hasDomains ? "file domains" : "strands of the file";
    String word = hasDomains ? "rank" : "strand";
    panel(svg, 0, squares, "which rank wants what", "rank", wishes::rankAt, request.ranks(), null);
    panel(svg, 1, squares, owners, word, transfers::ownerAt, transfers.owners(), null);
    panel(
        svg,
        2,
        squares,
        "what " + planned.plan().strategy().word() + " transfers",
        transfers.servedWord(),
        transfers::servedAt,
        transfers.served(),
        squares.isSampled() ? null : transfers::transferAt);
    caption(svg, squares, planned, shape);
    return svg.append("</svg>\n").toString();
  }

  private static void panel(
      StringBuilder svg,
      int number,
      Squares squares,
      String title,
      String word,
      LongUnaryOperator owner,
      int owners,
      @Nullable LongUnaryOperator borders) {
    int left = MARGIN + number * (squares.width() + MARGIN);
    svg.append(
        "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n"
            .formatted(left, TOP - 12, title));
    svg.append("<g transform=\"translate(%d %d)\">\n".formatted(left, TOP));
    squares.draw(svg, owner, owners);
    if (borders != null) {
      squares.borders(svg, borders);
    }
    svg.append("</g>\n");
    legend(svg, left, TOP + squares.height() + 18, squares.width(), owners, word);
  }

  private static void legend(
      StringBuilder svg, int left, int top, int width, int owners, String word) {
    int shown = Math.min(owners, MOST_LEGEND);
    int perLine = 8;
    int first = left + 52;
    svg.append("<text x=\"%d\" y=\"%d\" font-size=\"11\">%s</text>\n".formatted(left, top, word));
    for (int i = 0; i < shown; i++) {
      int x = first + i % perLine * ((width - 52) / perLine);
      int y = top + i / perLine * LEGEND_LINE;
      String more = i + 1 == shown && owners > shown ? "..." : "";
      svg.append(
          "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/>\n"
              .formatted(x, y - 10, colour(i, owners)));
      svg.append(
          "<text x=\"%d\" y=\"%d\" font-size=\"11\">%d%s</text>\n".formatted(x + 15, y, i, more));
    }
  }

  private static void caption(StringBuilder svg, Squares squares, Planned planned, Shape shape) {
    Estimate taken = planned.taken();
    List<String> words = new ArrayList<>();
    words.add(
        "%s of %d x %d elements, %s"
            .formatted(
                planned.plan().request().write() ? "write" : "read",
                shape.dimension(0),
                shape.dimension(1),
                shape.order().name().toLowerCase(Locale.ROOT).replace('_', '-')));
    words.add(
        "%s: %d transfers of %s, %s unwanted, %d messages"
            .formatted(
                taken.strategy().word(),
                taken.transfers(),
                Amounts.bytes(taken.transferBytes()),
                Amounts.bytes(taken.unwantedBytes()),
                taken.messages()));
    words.add("dark: wanted by several; pale: by nobody");
    if (squares.isSampled()) {
      words.add("each square shows one of " + squares.sampled() + " elements");
    }
    svg.append("<text x=\"%d\" y=\"24\">%s</text>\n".formatted(MARGIN, String.join("; ", words)));
  }

  /** A colour for one of several: as different as there is room on the circle of colours. */
  static String colour(int owner, int owners) {
    int hue = (int) (360L * owner / Math.max(1, owners));
    // Of many, neighbours differ in lightness, too, so that sixteen can be told apart.
    return "hsl(%d,60%%,%d%%)".formatted(hue, owners > 8 && owner % 2 == 1 ? 50 : 66);
  }
}
