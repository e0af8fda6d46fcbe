package org.millrace.array;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;

/**
 * Divides an array into partitions, and each partition into one part for each rank, so that no part
 * exceeds the memory of a rank and no rank is without a part. A partition is contiguous in the
 * file. It is divided along as many dimensions as necessary, the slowest first, so that parts
 * consist of long runs.
 *
 * <p>How it works: of all grids of the ranks, dynamic programming over the dimensions finds the one
 * whose largest part is smallest, with at most as many ranks along a dimension as it has indices.
 * Where there is none, as for 7 ranks and an array of 6 x 6, some ranks stay idle.
 *
 * <p>Stateless.
 */
final class PartitionCut {

  private PartitionCut() {}

  /**
   * The shape of the partitions: the largest whose parts hold at most {@code room} elements, made
   * equal as far as that leaves their number as it is.
   */
  static Shape tile(Shape shape, int ranks, long room) {
    if (room < 1) {
      throw new IllegalArgumentException("no element fits into a rank's memory");
    }
    Shape tile = tile(shape, ranks, room, false);
    return tile == null ? requireTile(tile(shape, ranks, room, true)) : tile;
  }

  private static Shape requireTile(@Nullable Shape tile) {
    if (tile == null) {
      throw new IllegalStateException("single elements always fit");
    }
    return tile;
  }

  private static @Nullable Shape tile(Shape shape, int ranks, long room, boolean idle) {
    long best = 0;
    Shape found = null;
    for (int n = shape.dimensions() - 1; n >= 0; n--) { // whole are the n fastest dimensions
      Cutter whole = new Cutter(slowestFirst(shape, n), idle);
      long size = Math.max(1, shape.dimension(shape.fastest(n)));
      for (int along = ranks; along >= 1; along--) {
        long part = ranks % along == 0 ? whole.smallestPart(0, ranks / along) : Cutter.NONE;
        if (part > room) {
          continue;
        }
        long max = room / part;
        long count = max >= Math.ceilDiv(size, along) ? size : along * max;
        if ((idle || count >= along) && whole.elements() * count > best) {
          best = whole.elements() * count;
          long even = Math.ceilDiv(size, Math.ceilDiv(size, count));
          found = slab(shape, n, idle || even >= along ? even : count);
        }
      }
    }
    return found;
  }

  /** Whole in the n fastest dimensions, {@code count} indices of the next, one of all others. */
  private static Shape slab(Shape shape, int n, long count) {
    long[] dims = new long[shape.dimensions()];
    for (int i = 0; i < dims.length; i++) {
      int d = shape.fastest(i);
      dims[d] = i < n ? Math.max(1, shape.dimension(d)) : i == n ? count : 1;
    }
    return Shape.of(shape.order(), dims);
  }

  private static long[] slowestFirst(Shape shape, int fastest) {
    long[] dims = new long[fastest];
    for (int i = 0; i < fastest; i++) {
      dims[i] = Math.max(1, shape.dimension(shape.fastest(fastest - 1 - i)));
    }
    return dims;
  }

  /** How a partition is dealt out to ranks of which each has room for so many elements. */
  static Distribution parts(Shape partition, int ranks, long room) {
    int dimensions = partition.dimensions();
    long[] dims = slowestFirst(partition, dimensions);
    Cutter cutter = new Cutter(dims, false);
    if (cutter.smallestPart(0, ranks) > room) {
      cutter = new Cutter(dims, true);
    }
    Integer[] grid = new Integer[dimensions];
    Spread[] spreads = new Spread[dimensions];
    int left = ranks;
    for (int i = 0; i < dimensions; i++) {
      int d = partition.fastest(dimensions - 1 - i);
      int along = cutter.along(i, left);
      grid[d] = along;
      spreads[d] = spread(dims[i], along);
      left /= along;
    }
    return Distribution.of(partition, new Grid(List.of(grid)), spreads);
  }

  /** Blocks, unless rounding them up would leave nothing for the last rank. */
  private static Spread spread(long size, int along) {
    if (along == 1) {
      return Spread.none();
    }
    boolean all = Math.ceilDiv(size, Math.ceilDiv(size, along)) == along;
    return all ? Spread.block() : Spread.cyclic();
  }

  /** Finds grids of ranks for given dimensions, slowest first. Belongs to one thread. */
  private static final class Cutter {

    /** There is no such grid. */
    static final long NONE = Long.MAX_VALUE;

    private record Best(int along, long part) {}

    // constant after construction
    private final long[] dims;
    private final boolean idle;

    private final List<Map<Integer, Best>> known = new ArrayList<>();

    /**
     * @param idle whether ranks may get nothing
     */
    Cutter(long[] dims, boolean idle) {
      this.dims = dims;
      this.idle = idle;
      for (int i = 0; i < dims.length; i++) {
        known.add(new HashMap<>());
      }
    }

    long elements() {
      long product = 1;
      for (long dim : dims) {
        product *= dim;
      }
      return product;
    }

    /** Elements of the largest part if so many ranks share the dimensions from one on. */
    long smallestPart(int from, int ranks) {
      if (from == dims.length) {
        return ranks == 1 ? 1 : NONE;
      }
      return best(from, ranks).part;
    }

    /** How many of these ranks lie along a dimension. */
    int along(int from, int ranks) {
      return best(from, ranks).along;
    }

    private Best best(int from, int ranks) {
      Best before = known.get(from).get(ranks);
      if (before != null) {
        return before;
      }
      Best best = new Best(1, NONE);
      for (int along = ranks; along >= 1; along--) { // of equals the most along the slowest
        if (ranks % along == 0 && (idle || along <= dims[from])) {
          long rest = smallestPart(from + 1, ranks / along);
          long part = rest == NONE ? NONE : Math.ceilDiv(dims[from], along) * rest;
          best = part < best.part ? new Best(along, part) : best;
        }
      }
      known.get(from).put(ranks, best);
      return best;
    }
  }
}
