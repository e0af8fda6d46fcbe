package org.millrace.examples;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.access.copy.Crc32cJoin;
import org.millrace.client.Rank;

/**
 * A rank's part of the field: a block of rows, with a halo row above and below that holds what the
 * neighbours have there. Which rows these are, and where they lie in a file, the {@link
 * Distribution} says. Belongs to the rank's thread.
 *
 * <pre>
 *   halo     row first - 1, the neighbour's above
 *   row 1    row first of the field
 *   ...
 *   row rows
 *   halo     row first + rows, the neighbour's below
 * </pre>
 */
final class RowBlock {

  /**
   * How much of the difference to its neighbours a cell makes up in a step; below 1/4 is stable.
   */
  static final double CONDUCTIVITY = 0.24;

  private static final int NOBODY = -1;
  private static final int TAG_UP = 1;
  private static final int TAG_DOWN = 2;

  // constant after construction
  private final Rank rank;
  private final int n;
  private final Distribution distribution;
  private final int first;
  private final int rows;
  private final int above;
  private final int below;

  private double[] now;
  private double[] next;

  /** The part of {@code rank}, all cold. */
  RowBlock(Rank rank, int n) throws HeatException {
    this.rank = rank;
    this.n = n;
    Shape field = Shape.rowMajor(n, n);
    this.distribution =
        Distribution.of(field, Grid.of(rank.size(), 1), Spread.block(), Spread.none());
    this.rows = (int) distribution.localShape(rank.number()).dimension(0);
    this.first = rows == 0 ? 0 : (int) distribution.global(rank.number(), 0, 0)[0];
    this.above = rows == 0 || first == 0 ? NOBODY : distribution.owner(first - 1, 0);
    this.below = rows == 0 || first + rows == n ? NOBODY : distribution.owner(first + rows, 0);
    long cells = (rows + 2L) * n;
    if (cells > Integer.MAX_VALUE - 8) {
      throw new HeatException(
          "--size %s with %s ranks gives a rank %s cells, at most %s are possible; use more ranks"
              .formatted(n, rank.size(), cells, Integer.MAX_VALUE - 8));
    }
    this.now = new double[(int) cells];
    this.next = new double[(int) cells];
  }

  /** Fills it with the beginning. */
  void begin() {
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < n; column++) {
        now[(row + 1) * n + column] = Scene.temperature(n, first + row, column);
      }
    }
  }

  /** What this rank sees of a file with fields one after the other from {@code start} on. */
  View view(long start) {
    long fieldBytes = distribution.shape().bytes(Double.BYTES);
    return new View(start, distribution.part(rank.number(), Double.BYTES), fieldBytes);
  }

  /** This rank's cells, to read or to write, until the next step. */
  MemorySegment cells() {
    return slice(1, rows);
  }

  private MemorySegment slice(int row, int count) {
    long rowBytes = (long) n * Double.BYTES;
    return MemorySegment.ofArray(now).asSlice(row * rowBytes, count * rowBytes);
  }

  /** One step of all ranks: exchanges halo rows with the neighbours, then computes. */
  void step() throws IOException {
    exchange();
    for (int row = 1; row <= rows; row++) {
      boolean isEdge = first + row == 1 || first + row == n;
      if (isEdge) {
        System.arraycopy(now, row * n, next, row * n, n);
      } else {
        diffuse(now, next, row * n, n);
      }
    }
    double[] done = next;
    next = now;
    now = done;
  }

  private void exchange() throws IOException {
    if (above != NOBODY) {
      rank.send(above, TAG_UP, slice(1, 1));
    }
    if (below != NOBODY) {
      rank.send(below, TAG_DOWN, slice(rows, 1));
      rank.receive(below, TAG_UP, slice(rows + 1, 1));
    }
    if (above != NOBODY) {
      rank.receive(above, TAG_DOWN, slice(0, 1));
    }
  }

  /** One row; its ends are edges and keep their temperatures. */
  private static void diffuse(double[] now, double[] next, int from, int n) {
    next[from] = now[from];
    for (int i = from + 1; i < from + n - 1; i++) {
      double around = now[i - n] + now[i + n] + now[i - 1] + now[i + 1];
      next[i] = now[i] + CONDUCTIVITY * (around - 4 * now[i]);
    }
    next[from + n - 1] = now[from + n - 1];
  }

  /** The checksum of the whole field, on every rank: all must call. */
  int checksum() throws IOException {
    List<Long> parts = rank.allGather((long) Crc32cJoin.of(cells()));
    int whole = 0;
    for (int r = 0; r < parts.size(); r++) {
      long bytes = distribution.localShape(r).bytes(Double.BYTES);
      whole = Crc32cJoin.join(whole, parts.get(r).intValue(), bytes);
    }
    return whole;
  }
}
