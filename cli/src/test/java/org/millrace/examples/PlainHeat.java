package org.millrace.examples;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The field as one plain loop over two whole arrays computes it: what every other way must give.
 */
final class PlainHeat {

  private PlainHeat() {}

  /** The field after {@code steps} steps. */
  static double[][] field(int n, int steps) {
    double[][] now = new double[n][n];
    for (int row = 0; row < n; row++) {
      for (int column = 0; column < n; column++) {
        now[row][column] = Scene.temperature(n, row, column);
      }
    }
    for (int step = 0; step < steps; step++) {
      double[][] next = new double[n][n];
      for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
          double here = now[row][column];
          boolean edge = row == 0 || column == 0 || row == n - 1 || column == n - 1;
          next[row][column] =
              edge
                  ? here
                  : here
                      + 0.24
                          * (now[row - 1][column]
                              + now[row + 1][column]
                              + now[row][column - 1]
                              + now[row][column + 1]
                              - 4 * here);
        }
      }
      now = next;
    }
    return now;
  }

  /** Its bytes, row by row. */
  static byte[] bytes(int n, int steps) {
    ByteBuffer buffer = ByteBuffer.allocate(n * n * Double.BYTES).order(ByteOrder.nativeOrder());
    for (double[] row : field(n, steps)) {
      for (double cell : row) {
        buffer.putDouble(cell);
      }
    }
    return buffer.array();
  }

  /** Their checksum. */
  static int checksum(int n, int steps) {
    CRC32C crc = new CRC32C();
    crc.update(bytes(n, steps));
    return (int) crc.getValue();
  }
}
