package org.millrace.heritage.fem;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A grid of hexahedral brick elements and the file that lists their vertices. Elements and vertices
 * are numbered from 1, z fastest, then x, then y. The file has for each element, in order, its
 * eight vertices as 32-bit integers, lowest byte first; it is the same however many ranks write it.
 *
 * <p>The report's program passes five arguments to its vertex number, which takes six; the missing
 * one is not used by the formula, and is left out here. Immutable.
 *
 * @param nex elements in direction x
 * @param ney elements in direction y
 * @param nez elements in direction z, which are written and read together: a column
 */
public record Elements(int nex, int ney, int nez) {

  /** Corners of an element. */
  public static final int VERTICES = 8;

  private static final int[] DX = {0, 1, 1, 0, 0, 1, 1, 0};
  private static final int[] DY = {0, 0, 1, 1, 0, 0, 1, 1};
  private static final int[] DZ = {0, 0, 0, 0, 1, 1, 1, 1};

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Checks that all vertices have numbers of 32 bits. */
  public Elements {
    if (nex < 1 || ney < 1 || nez < 1) {
      throw new IllegalArgumentException("a grid of %sx%sx%s elements".formatted(nex, ney, nez));
    }
    if ((nex + 1.0) * (ney + 1.0) * (nez + 1.0) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a grid of %sx%sx%s elements has more than 2^31-1 vertices".formatted(nex, ney, nez));
    }
  }

  /** A cube. */
  public static Elements cube(int n) {
    return new Elements(n, n, n);
  }

  /** How many columns there are. */
  public int columns() {
    return nex * ney;
  }

  /** Bytes of a column. */
  public int columnBytes() {
    return nez * VERTICES * Integer.BYTES;
  }

  /** Bytes of the file. */
  public long fileBytes() {
    return (long) columns() * columnBytes();
  }

  /** Whether rank {@code rank} of {@code ranks} works on a column. */
  public boolean isMine(int ix, int iy, int rank, int ranks) {
    return (ix + (iy - 1) * nex) % ranks == rank;
  }

  /** The number of an element. */
  public long element(int ix, int iy, int iz) {
    return iz + (ix - 1L) * nez + (iy - 1L) * nez * nex;
  }

  /** The number of a vertex. */
  public int vertex(int jx, int jy, int jz) {
    return jz + (jx - 1) * (nez + 1) + (jy - 1) * (nez + 1) * (nex + 1);
  }

  /** Puts a column's vertices into {@code buffer}. */
  public void fill(int ix, int iy, MemorySegment buffer) {
    long at = 0;
    for (int iz = 1; iz <= nez; iz++) {
      for (int i = 0; i < VERTICES; i++) {
        buffer.set(INT, at, vertex(ix + DX[i], iy + DY[i], iz + DZ[i]));
        at += Integer.BYTES;
      }
    }
  }
}
