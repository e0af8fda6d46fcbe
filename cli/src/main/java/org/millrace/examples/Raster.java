package org.millrace.examples;

import java.util.Arrays;

/**
 * A square of temperatures for a picture: a field as it is, or made smaller by taking the mean of
 * the cells that fall together. Rows are added from the top; used by one thread until all are.
 */
public final class Raster {

  private final int cells;
  private final int side;
  private final double[] sums;
  private final int[] counts;

  /** Of a field of {@code cells} rows and columns, at most {@code longest} rows and columns. */
  Raster(int cells, int longest) {
    this.cells = cells;
    this.side = Math.min(cells, longest);
    this.sums = new double[side * side];
    this.counts = new int[side * side];
  }

  /** Adds a row of the field, whose values begin at {@code from}. */
  void add(int row, double[] values, int from) {
    int base = (int) ((long) row * side / cells) * side;
    for (int column = 0; column < cells; column++) {
      int at = base + (int) ((long) column * side / cells);
      sums[at] += values[from + column];
      counts[at]++;
    }
  }

  /** How many rows and columns it has. */
  public int side() {
    return side;
  }

  /** The temperature at a place. */
  public double at(int row, int column) {
    return sums[row * side + column] / counts[row * side + column];
  }

  /** The temperature between the places, interpolated; places beyond the edge are as the edge. */
  public double at(double row, double column) {
    int top = Math.clamp((long) Math.floor(row), 0, side - 1);
    int left = Math.clamp((long) Math.floor(column), 0, side - 1);
    int bottom = Math.min(top + 1, side - 1);
    int right = Math.min(left + 1, side - 1);
    double down = Math.clamp(row - top, 0.0, 1.0);
    double over = Math.clamp(column - left, 0.0, 1.0);
    double upper = at(top, left) * (1 - over) + at(top, right) * over;
    double lower = at(bottom, left) * (1 - over) + at(bottom, right) * over;
    return upper * (1 - down) + lower * down;
  }

  @Override
  public String toString() {
    return side
        + " x "
        + side
        + " of "
        + cells
        + " x "
        + cells
        + ", sum "
        + Arrays.stream(sums).sum();
  }
}
