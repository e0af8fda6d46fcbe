package org.millrace.cli.explain;

import java.util.function.LongUnaryOperator;
import org.millrace.access.Shape;
import org.millrace.output.Paint;
import org.millrace.output.Svg;

/**
 * The grid of squares of one panel of a {@link PlanPicture}: which element each shows, and how it
 * is drawn. Immutable.
 */
final class Squares {

  /** Arrays with up to so many rows and columns are drawn whole. */
  private static final int MAX_SQUARES = 96;

  /** Of larger ones, squares that show the same number of elements each, if there are so many. */
  private static final int MIN_SQUARES = 48;

  private static final int USUAL_SQUARES = 64;
  private static final int PANEL = 384;

  // constant after construction

  private final Shape shape;
  private final int elementBytes;
  private final long start;
  private final int rows;
  private final int columns;
  private final int size;
  private final int period;

  /**
   * Squares of an array.
   *
   * @param period after so many rows or columns a fine pattern repeats, likely
   */
  Squares(Shape shape, int elementBytes, long start, int period) {
    this.period = Math.max(1, period);
    this.shape = shape;
    this.elementBytes = elementBytes;
    this.start = start;
    this.rows = squares(shape.dimension(0));
    this.columns = squares(shape.dimension(1));
    this.size = PANEL / Math.max(rows, Math.max(8, columns));
  }

  private static int squares(long n) {
    if (n <= MAX_SQUARES) {
      return (int) n;
    }
    for (int count = MAX_SQUARES; count >= MIN_SQUARES; count--) {
      if (n % count == 0) {
        return count;
      }
    }
    return USUAL_SQUARES;
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
    long i = sample(row, rows, shape.dimension(0));
    long j = sample(column, columns, shape.dimension(1));
    return start + shape.linear(i, j) * elementBytes;
  }

  /**
   * Which row, or column, a square shows of those that fall on it. All squares of a row show the
   * same row, so stripes stay stripes; and neighbours show neighbours within a period, so a cyclic
   * distribution looks cyclic.
   */
  private long sample(int square, int squares, long n) {
    long from = square * n / squares;
    long to = (square + 1) * n / squares;
    return from + Math.floorMod(square - from, Math.min(period, to - from));
  }

  /** Draws squares of one colour in a row as one, and numbers into large ones. */
  void draw(Svg svg, LongUnaryOperator owner, int owners) {
    for (int row = 0; row < rows; row++) {
      int column = 0;
      while (column < columns) {
        long who = owner.applyAsLong(offset(row, column));
        int from = column++;
        while (column < columns && owner.applyAsLong(offset(row, column)) == who) {
          column++;
        }
        if (who != TransferOwners.NOBODY) {
          rect(svg, row, from, column, who, owners);
        }
      }
    }
    lines(svg);
  }

  private void rect(Svg svg, int row, int from, int to, long who, int owners) {
    boolean unwanted = who <= TransferOwners.UNWANTED;
    int number = (int) (unwanted ? TransferOwners.UNWANTED - who : who);
    Paint paint = who == TransferOwners.SEVERAL ? Paint.PLAIN : Paint.owner(number, owners);
    svg.rect(from * size, row * size, (to - from) * size, size, unwanted ? paint.pale() : paint);
    if (size >= 20 && who != TransferOwners.SEVERAL) {
      for (int column = from; column < to; column++) {
        svg.text(
            column * size + size / 2.0,
            row * size + size / 2.0 + 4,
            Svg.Anchor.MIDDLE,
            unwanted ? Paint.TEXT : Paint.ON_COLOUR,
            Integer.toString(number));
      }
    }
  }

  /** Draws a line wherever neighbours are not the same, but none around what is nobody's. */
  void borders(Svg svg, LongUnaryOperator what) {
    StringBuilder path = new StringBuilder();
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        long here = what.applyAsLong(offset(row, column));
        if (column > 0 && here != what.applyAsLong(offset(row, column - 1))) {
          path.append("M%s %sv%s".formatted(column * size, row * size, size));
        }
        if (row > 0 && here != what.applyAsLong(offset(row - 1, column))) {
          path.append("M%s %sh%s".formatted(column * size, row * size, size));
        }
      }
    }
    svg.path(path.toString(), Paint.BORDER);
  }

  private void lines(Svg svg) {
    StringBuilder path = new StringBuilder();
    for (int row = 0; row <= rows; row++) {
      path.append("M0 ").append(row * size).append('h').append(columns * size);
    }
    for (int column = 0; column <= columns; column++) {
      path.append('M').append(column * size).append(" 0v").append(rows * size);
    }
    svg.path(path.toString(), Paint.RULE);
  }
}
