package org.millrace.heritage.ncube;

/**
 * nCUBE's mapping function: the bits of a byte's position in the stream, put in another order, are
 * its processing element and its position in that one's buffer.
 *
 * <pre>
 *   stream      | rest | p - tw | dy | w | tw | dx |      high bits left
 *                  |       |      |    |    |    |
 *   processor      |    | p - tw |    |  | tw |  |
 *   buffer      | rest |        | dy | w |     | dx |
 * </pre>
 *
 * Each name is the number of bits of its parameter, so all parameters must be powers of two.
 *
 * <p>Immutable; safe for any number of threads.
 *
 * @param dx bits of DX
 * @param dy bits of DY
 * @param tw bits of TW
 * @param w bits of W
 * @param p bits of P
 */
public record BitPermutation(int dx, int dy, int tw, int w, int p) {

  /** Checks that the bits of a position suffice. */
  public BitPermutation {
    if (dx < 0 || dy < 0 || tw < 0 || w < 0 || p < tw || dx + dy + w + p > 62) {
      throw new IllegalArgumentException(
          "dx %s, dy %s, tw %s, w %s, p %s bits".formatted(dx, dy, tw, w, p));
    }
  }

  /**
   * The permutation of a mapping.
   *
   * @throws IllegalArgumentException unless all its parameters are powers of two
   */
  public static BitPermutation of(Mapping mapping) {
    int dx = bits("DX", mapping.dx());
    int tw = bits("TW", mapping.tw());
    return new BitPermutation(
        dx,
        bits("DY", mapping.dy()),
        tw,
        bits("Dim_x", mapping.dimX()) - tw - dx,
        bits("P", mapping.processors()));
  }

  private static int bits(String name, long value) {
    if (Long.bitCount(value) != 1) {
      throw new IllegalArgumentException(name + " " + value + " is not a power of two");
    }
    return Long.numberOfTrailingZeros(value);
  }

  /** The processing element that a byte of the stream is mapped to. */
  public int processor(long stream) {
    long across = field(stream, dx, tw);
    long down = field(stream, dx + tw + w + dy, p - tw);
    return (int) (down << tw | across);
  }

  /** Where in its buffer a byte of the stream is. */
  public long buffer(long stream) {
    long x = field(stream, 0, dx);
    long middle = field(stream, dx + tw, w + dy);
    long rest = stream >>> dx + w + dy + p;
    return (rest << w + dy | middle) << dx | x;
  }

  /** The byte of the stream that is at a position of a processing element's buffer. */
  public long stream(int processor, long buffer) {
    long x = field(buffer, 0, dx);
    long middle = field(buffer, dx, w + dy);
    long rest = buffer >>> dx + w + dy;
    long across = field(processor, 0, tw);
    long down = field(processor, tw, p - tw);
    return (((rest << p - tw | down) << w + dy | middle) << tw | across) << dx | x;
  }

  private static long field(long bits, int from, int count) {
    return bits >>> from & (1L << count) - 1;
  }
}
