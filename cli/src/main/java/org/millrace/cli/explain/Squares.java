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

  private static final int MAX_SQUARES = 48;
  private static final int PANEL = 384;

  // constant after construction

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
    this.rows = (int) Math.min(MAX_SQUARES, shape.dimension(0));
    this.columns = (int) Math.min(MAX_SQUARES, shape.dimension(1));
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
          path.append("M%d %dv%d".formatted(column * size, row * size, size));
        }
        if (row > 0 && here != what.applyAsLong(offset(row - 1, column))) {
          path.append("M%d %dh%d".formatted(column * size, row * size, size));
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
