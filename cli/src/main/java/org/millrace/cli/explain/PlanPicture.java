package org.millrace.cli.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Geometry;
import org.millrace.access.Shape;
import org.millrace.output.Paint;
import org.millrace.output.Svg;
import org.millrace.plan.Estimate;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Request;

/**
 * A picture, as SVG, of how a two-dimensional array is read or written: which rank wants which
 * element, which aggregator owns which part of the file, and what a plan transfers. Rows go down,
 * columns to the right, in any storage order.
 *
 * <p>Of arrays with more rows or columns than the picture has squares, each square shows one
 * element of those that fall on it, at a place that differs from square to square, so that fine
 * patterns look fine and do not vanish. Holds no state.
 */
final class PlanPicture {

  private static final int MARGIN = 24;
  private static final int TOP = 64;
  private static final int MAX_LEGEND = 16;
  private static final int LEGEND_LINE = 22;

  private PlanPicture() {}

  /**
   * Draws a plan for an array.
   *
   * @throws IllegalArgumentException unless the shape has two dimensions and some elements
   */
  static String svg(Planned planned, Geometry array) {
    Shape shape = array.shape();
    if (shape.dimensions() != 2 || shape.elements() == 0) {
      throw new IllegalArgumentException(
          "a picture needs an array of two dimensions with elements, this has the shape "
              + shape.dims());
    }
    Squares squares = new Squares(shape, array.elementBytes(), array.start());
    TransferOwners transfers = new TransferOwners(planned);
    Request request = planned.plan().request();
    int height = TOP + squares.height() + 40 + LEGEND_LINE * 2 + MARGIN;
    int width = 3 * squares.width() + 4 * MARGIN;
    Svg svg = new Svg(width, height);
    RequestedBytes requested = new RequestedBytes(request);
    boolean hasDomains = transfers.domains() != null;
    String owners = hasDomains ? "file domains" : "strands of the file";
    String word = hasDomains ? "rank" : "strand";
    panel(
        svg, 0, squares, "which rank wants what", "rank", requested::rankAt, request.ranks(), null);
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
    return svg.file();
  }

  private static void panel(
      Svg svg,
      int number,
      Squares squares,
      String title,
      String word,
      LongUnaryOperator owner,
      int owners,
      @Nullable LongUnaryOperator borders) {
    int left = MARGIN + number * (squares.width() + MARGIN);
    svg.text(left, TOP - 12, Svg.Anchor.START, Paint.BOLD, title);
    Svg panel = new Svg(squares.width(), squares.height());
    squares.draw(panel, owner, owners);
    if (borders != null) {
      squares.borders(panel, borders);
    }
    svg.place(left, TOP, panel);
    legend(svg, left, TOP + squares.height() + 18, squares.width(), owners, word);
  }

  private static void legend(Svg svg, int left, int top, int width, int owners, String word) {
    int shown = Math.min(owners, MAX_LEGEND);
    int perLine = 8;
    int first = left + 52;
    svg.text(left, top, Svg.Anchor.START, Paint.SOFT, word);
    for (int i = 0; i < shown; i++) {
      int x = first + i % perLine * ((width - 52) / perLine);
      int y = top + i / perLine * LEGEND_LINE;
      String more = i + 1 == shown && owners > shown ? "..." : "";
      svg.rect(x, y - 10, 11, 11, Paint.owner(i, owners));
      svg.text(x + 15, y, Svg.Anchor.START, Paint.SOFT, i + more);
    }
  }

  private static void caption(Svg svg, Squares squares, Planned planned, Shape shape) {
    Estimate taken = planned.choice().taken();
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
    words.add("grey: wanted by several; pale: by none");
    if (squares.isSampled()) {
      words.add("each square shows one of " + squares.sampled() + " elements");
    }
    svg.text(MARGIN, 24, Svg.Anchor.START, Paint.TEXT, String.join("; ", words));
  }
}
