package org.millrace.array.zarr;

import java.io.ByteArrayOutputStream;
import org.millrace.access.Order;
import org.millrace.access.Shape;

/**
 * The file of a shard, made element by element and bit by bit, from the text of the specification:
 * it shares nothing with the code under test but the arithmetic of {@link Shape}. Stateless.
 */
public final class NaiveShard {

  private NaiveShard() {}

  /**
   * All bytes of a shard with an index at its end.
   *
   * @param shape of the array, and the order of chunks and elements
   * @param elements row by row
   * @param fill an element of padding
   */
  public static byte[] encode(Shape shape, long[] chunk, byte[] elements, byte[] fill) {
    int n = chunk.length;
    long[] grid = new long[n];
    for (int d = 0; d < n; d++) {
      grid[d] = (shape.dimension(d) + chunk[d] - 1) / chunk[d];
    }
    Shape chunks = Shape.of(shape.order(), grid);
    Shape inside = Shape.of(shape.order(), chunk);
    Shape rows = new Shape(shape.dims(), Order.ROW_MAJOR);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (long c = 0; c < chunks.elements(); c++) {
      long[] place = chunks.index(c);
      for (long e = 0; e < inside.elements(); e++) {
        long[] index = inside.index(e);
        boolean isThere = true;
        for (int d = 0; d < n; d++) {
          index[d] += place[d] * chunk[d];
          isThere &= index[d] < shape.dimension(d);
        }
        for (int b = 0; b < fill.length; b++) {
          out.write(isThere ? elements[(int) (rows.linear(index) * fill.length) + b] : fill[b]);
        }
      }
    }
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    Shape listed = Shape.of(Order.ROW_MAJOR, grid);
    long chunkBytes = inside.elements() * fill.length;
    for (long c = 0; c < listed.elements(); c++) {
      little(index, chunks.linear(listed.index(c)) * chunkBytes, 8);
      little(index, chunkBytes, 8);
    }
    byte[] plain = index.toByteArray();
    out.writeBytes(plain);
    little(out, crc32c(plain), 4);
    return out.toByteArray();
  }

  private static void little(ByteArrayOutputStream out, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >>> (8 * i)));
    }
  }

  private static long crc32c(byte[] bytes) {
    int crc = -1;
    for (byte one : bytes) {
      crc ^= one & 0xFF;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) != 0 ? (crc >>> 1) ^ 0x82F63B78 : crc >>> 1;
      }
    }
    return ~crc & 0xFFFF_FFFFL;
  }
}
