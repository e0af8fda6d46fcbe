package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
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

  private static final int MOST_SQUARES = 48;
  private static final int PANEL = 384;
  private static final int MARGIN = 24;
  private static final int TOP = 64;
  private static final int MOST_LEGEND = 16;
  private static final int LEGEND_LINE = 22;

  private PlanPicture() {}

  /**
   * Draws a plan for an array that starts at a file offset.
   *
   * @throws IllegalArgumentException unless the shape has two dimensions and some elements
   */
  public static String svg(Planned planned, Shape shape, int elementBytes, long start) {
    if (shape.dimensions() != 2 || shape.elements() == 0) {
      throw new IllegalArgumentException(
          "a picture needs an array of two dimensions with elements, this has the shape "
              + shape.dims());
    }
    Squares squares = new Squares(shape, elementBytes, start);
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
    panel(svg, 0, squares, "which rank wants what", wishes::rankAt, request.ranks());
    panel(svg, 1, squares, owners, transfers::ownerAt, transfers.owners());
    panel(
        svg,
        2,
        squares,
        "what " + planned.plan().strategy().word() + " transfers",
        transfers::servedAt,
        transfers.served());
    caption(svg, squares, planned, shape);
    return svg.append("</svg>\n").toString();
  }

  private static void panel(
      StringBuilder svg,
      int number,
      Squares squares,
      String title,
      LongUnaryOperator owner,
      int owners) {
    int left = MARGIN + number * (squares.width() + MARGIN);
    svg.append(
        "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n"
            .formatted(left, TOP - 12, title));
    svg.append("<g transform=\"translate(%d %d)\">\n".formatted(left, TOP));
    squares.draw(svg, owner, owners);
    svg.append("</g>\n");
    legend(svg, left, TOP + squares.height() + 18, squares.width(), owners, word(number, title));
  }

  private static String word(int panel, String title) {
    return panel == 0 || title.startsWith("file") ? "rank" : panel == 1 ? "strand" : "for";
  }

  private static void legend(
      StringBuilder svg, int left, int top, int width, int owners, String word) {
    int shown = Math.min(owners, MOST_LEGEND);
    int perLine = 8;
    for (int i = 0; i < shown; i++) {
      int x = left + i % perLine * (width / perLine);
      int y = top + i / perLine * LEGEND_LINE;
      svg.append(
          "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/>\n"
              .formatted(x, y - 10, colour(i, owners)));
      svg.append(
          "<text x=\"%d\" y=\"%d\" font-size=\"11\">%s%d%s</text>\n"
              .formatted(
                  x + 15,
                  y,
                  i == 0 ? word + " " : "",
                  i,
                  i + 1 == shown && owners > shown ? "..." : ""));
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
    words.add("dark: several ranks; pale: nobody wants it");
    if (squares.isSampled()) {
      words.add("each square shows one of " + squares.sampled() + " elements");
    }
    svg.append("<text x=\"%d\" y=\"24\">%s</text>\n".formatted(MARGIN, String.join("; ", words)));
  }

  /** A colour for one of several: as different as there is room on the circle of colours. */
  static String colour(int owner, int owners) {
    // Neighbours differ in lightness, too, so that sixteen can be told apart.
    int hue = (int) (360L * owner / Math.max(1, owners));
    return "hsl(%d,65%%,%d%%)".formatted(hue, owner % 2 == 0 ? 62 : 48);
  }

  /** The grid of squares of one panel. */
  private static final class Squares {

    private final Shape shape;
    private final int elementBytes;
    private final long start;
    private final int rows;
    private final int columns;
    private final int size;

    Squares(Shape shape, int elementBytes, long start) {
      this.shape = shape;
      this.elementBytes = elementBytes;
      this.start = start;
      this.rows = (int) Math.min(MOST_SQUARES, shape.dimension(0));
      this.columns = (int) Math.min(MOST_SQUARES, shape.dimension(1));
      this.size = PANEL / Math.max(rows, Math.max(8, columns));
    }

    int width() {
      return Math.max(columns, 8) * size;
    }

    int height() {
      return rows * size;
    }

    boolean isSampled() {
      return rows < shape.dimension(0) || columns < shape.dimension(1);
    }

    String sampled() {
      return Math.ceilDiv(shape.dimension(0), rows)
          + " x "
          + Math.ceilDiv(shape.dimension(1), columns);
    }

    /** The file offset of the element that a square shows. */
    private long offset(int row, int column) {
      long i = sample(row, rows, shape.dimension(0), column);
      long j = sample(column, columns, shape.dimension(1), row);
      return start + shape.linear(i, j) * elementBytes;
    }

    private static long sample(int square, int squares, long n, int other) {
      long from = square * n / squares;
      long to = (square + 1) * n / squares;
      int mixed = (square * 31 + other * 17) * 0x9E3779B1;
      return from + Integer.remainderUnsigned(mixed >>> 3, (int) Math.min(1 << 20, to - from));
    }

    /** Draws squares of one colour in a row as one, and numbers into large ones. */
    void draw(StringBuilder svg, LongUnaryOperator owner, int owners) {
      for (int row = 0; row < rows; row++) {
        int column = 0;
        while (column < columns) {
          long who = owner.applyAsLong(offset(row, column));
          int from = column++;
          while (column < columns && owner.applyAsLong(offset(row, column)) == who) {
            column++;
          }
          if (who != Transfers.NOBODY) {
            rect(svg, row, from, column, who, owners);
          }
        }
      }
      lines(svg);
    }

    private void rect(StringBuilder svg, int row, int from, int to, long who, int owners) {
      boolean unwanted = who <= Transfers.UNWANTED;
      int number = (int) (unwanted ? Transfers.UNWANTED - who : who);
      String fill = who == Transfers.SEVERAL ? "#3d4852" : colour(number, owners);
      svg.append(
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"%s/>\n"
              .formatted(
                  from * size,
                  row * size,
                  (to - from) * size,
                  size,
                  fill,
                  unwanted ? " opacity=\"0.3\"" : ""));
      if (size >= 20 && who != Transfers.SEVERAL) {
        for (int column = from; column < to; column++) {
          svg.append(
              "<text x=\"%d\" y=\"%d\" font-size=\"11\" text-anchor=\"middle\">%d</text>\n"
                  .formatted(column * size + size / 2, row * size + size / 2 + 4, number));
        }
      }
    }

    private void lines(StringBuilder svg) {
      StringBuilder path = new StringBuilder();
      for (int row = 0; row <= rows; row++) {
        path.append("M0 ").append(row * size).append('h').append(columns * size);
      }
      for (int column = 0; column <= columns; column++) {
        path.append('M').append(column * size).append(" 0v").append(rows * size);
      }
      svg.append(
          "<path d=\"%s\" stroke=\"#c8ced6\" stroke-width=\"0.5\" fill=\"none\"/>\n"
              .formatted(path));
    }
  }
}
