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
 * element of those that fall on it; which, {@link Squares} says. Holds no state.
 */
final class PlanPicture {

  private static final int MARGIN = 16;
  private static final int LINE = 18;

  /** Room for the titles and legends of panels that are narrower. */
  private static final int LEAST_PANEL = 260;

  /** Of an average letter, a little more than browsers need. */
  private static final double LETTER = 6.4;

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
    Squares squares =
        new Squares(shape, array.elementBytes(), array.start(), planned.plan().request().ranks());
    TransferOwners transfers = new TransferOwners(planned);
    Request request = planned.plan().request();
    int panel = Math.max(LEAST_PANEL, squares.width());
    int width = 3 * panel + 4 * MARGIN;
    List<String> caption = wrapped(caption(squares, planned, shape), width - 2 * MARGIN);
    int top = MARGIN + LINE * caption.size() + 2 * LINE;
    int legends = transfers.served() > 8 || request.ranks() > 8 ? 2 : 1;
    Svg svg = new Svg(width, top + squares.height() + 10 + LEGEND_LINE * legends + MARGIN / 2);
    for (int i = 0; i < caption.size(); i++) {
      svg.text(MARGIN, MARGIN + 12 + i * LINE, Svg.Anchor.START, Paint.TEXT, caption.get(i));
    }
    RequestedBytes requested = new RequestedBytes(request);
    boolean hasDomains = transfers.domains() != null;
    String owners = hasDomains ? "file domains" : "strands of the file";
    String word = hasDomains ? "rank" : "strand";
    String taken = "what " + planned.plan().strategy().word() + " transfers";
    List<Panel> panels =
        List.of(
            new Panel("which rank wants what", "rank", requested::rankAt, request.ranks(), null),
            new Panel(owners, word, transfers::ownerAt, transfers.owners(), null),
            new Panel(
                taken,
                transfers.servedWord(),
                transfers::servedAt,
                transfers.served(),
                squares.isSampled() ? null : transfers::transferAt));
    for (int i = 0; i < panels.size(); i++) {
      draw(svg, MARGIN + i * (panel + MARGIN), top, squares, panels.get(i));
    }
    return svg.file();
  }

  /**
   * One of the three drawings.
   *
   * @param word what its owners are
   * @param borders what is separated by lines, if anything
   */
  private record Panel(
      String title,
      String word,
      LongUnaryOperator owner,
      int owners,
      @Nullable LongUnaryOperator borders) {}

  private static void draw(Svg svg, int left, int top, Squares squares, Panel panel) {
    svg.text(left, top - 10, Svg.Anchor.START, Paint.BOLD, panel.title);
    Svg drawing = new Svg(squares.width(), squares.height());
    squares.draw(drawing, panel.owner, panel.owners);
    if (panel.borders != null) {
      squares.borders(drawing, panel.borders);
    }
    svg.place(left, top, drawing);
    int width = Math.max(LEAST_PANEL, squares.width());
    legend(svg, left, top + squares.height() + 20, width, panel.owners, panel.word);
  }

  /** Words, part by part, in lines that a picture of the given width holds. */
  private static List<String> wrapped(List<String> parts, int width) {
    List<String> lines = new ArrayList<>();
    for (String part : parts) {
      String last = lines.isEmpty() ? "" : lines.getLast();
      if (!last.isEmpty() && (last.length() + 2 + part.length()) * LETTER <= width) {
        lines.set(lines.size() - 1, last + "; " + part);
      } else {
        lines.add(part);
      }
    }
    return lines;
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

  private static List<String> caption(Squares squares, Planned planned, Shape shape) {
    Estimate taken = planned.choice().taken();
    List<String> words = new ArrayList<>();
    words.add(
        "%s of %s x %s elements, %s"
            .formatted(
                planned.plan().request().write() ? "write" : "read",
                shape.dimension(0),
                shape.dimension(1),
                shape.order().name().toLowerCase(Locale.ROOT).replace('_', '-')));
    words.add(
        "%s: %s transfers of %s, %s unwanted, %s messages"
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
    return words;
  }
}
