package org.millrace.access;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * An array distributed over a grid of ranks, each dimension by its own {@link Spread}. The parts of
 * all ranks contain every element exactly once; if sizes do not divide evenly, some parts are
 * smaller or empty. Immutable.
 *
 * @param shape the whole array
 * @param spreads one for each dimension
 * @param grid as many dimensions as the array; 1 where a dimension is not distributed
 */
public record Distribution(Shape shape, List<Spread> spreads, Grid grid) {

  /** Checks that the three fit and that blocks cover their dimensions. */
  public Distribution {
    Objects.requireNonNull(shape, "shape");
    spreads = List.copyOf(spreads);
    if (spreads.size() != shape.dimensions() || grid.dimensions() != shape.dimensions()) {
      throw new IllegalArgumentException(
          "shape of "
              + shape.dimensions()
              + " dimensions with "
              + spreads.size()
              + " spreads over a grid of "
              + grid.dimensions());
    }
    for (int i = 0; i < spreads.size(); i++) {
      int p = grid.dimension(i);
      long n = shape.dimension(i);
      Spread spread = spreads.get(i);
      if (spread instanceof Spread.None && p != 1) {
        throw new IllegalArgumentException(
            "dimension " + i + " is not distributed but the grid has " + p + " ranks along it");
      }
      if (spread instanceof Spread.Block && spread.blockSize(n, p) < Math.ceilDiv(n, p)) {
        throw new IllegalArgumentException(
            p
                + " blocks of "
                + spread.blockSize(n, p)
                + " do not cover dimension "
                + i
                + " of size "
                + n);
      }
    }
  }

  /** A distribution with one spread for each dimension. */
  public static Distribution of(Shape shape, Grid grid, Spread... spreads) {
    return new Distribution(shape, Arrays.asList(spreads), grid);
  }

  /** Blocks of rows, which is to say of the first dimension, one for each rank. */
  public static Distribution rows(Shape shape, int ranks) {
    return along(shape, ranks, 0, Spread.block());
  }

  /** Blocks of columns, which is to say of the last dimension, one for each rank. */
  public static Distribution columns(Shape shape, int ranks) {
    return along(shape, ranks, shape.dimensions() - 1, Spread.block());
  }

  /** A block of every dimension for each rank, the grid of ranks as square as it can be. */
  public static Distribution blocks(Shape shape, int ranks) {
    Spread[] spreads = new Spread[shape.dimensions()];
    Arrays.fill(spreads, Spread.block());
    return of(shape, Grid.balanced(ranks, shape.dimensions()), spreads);
  }

  /** Rows dealt out to the ranks in turn: rank r has r, r + ranks, r + 2 ranks and so on. */
  public static Distribution cyclic(Shape shape, int ranks) {
    return along(shape, ranks, 0, Spread.cyclic());
  }

  private static Distribution along(Shape shape, int ranks, int dimension, Spread spread) {
    Spread[] spreads = new Spread[shape.dimensions()];
    Arrays.fill(spreads, Spread.none());
    spreads[dimension] = spread;
    int[] grid = new int[shape.dimensions()];
    Arrays.fill(grid, 1);
    grid[dimension] = ranks;
    return of(shape, Grid.of(grid), spreads);
  }

  /** What a rank sees of a file that holds the array from its first byte on: its own part. */
  public View view(int rank, int elementBytes) {
    return new Geometry(shape, elementBytes, 0).view(part(rank, elementBytes));
  }

  /** Which bytes of the array are a rank's, relative to the array's start, in storage order. */
  public Pattern part(int rank, int elementBytes) {
    var _ = shape.bytes(elementBytes); // or it throws
    return part(rank, Pattern.run(elementBytes), elementBytes);
  }

  /**
   * As {@link #part(int, int)} for elements of which not all bytes count, or that lie further apart
   * than they are long.
   *
   * @param element the bytes of the first element, relative to the array's start
   * @param extentBytes from one element to the next
   */
  public Pattern part(int rank, Pattern element, long extentBytes) {
    int[] coordinates = grid.coordinates(rank);
    if (shape.elements() == 0) {
      return Pattern.EMPTY;
    }
    var _ = Math.multiplyExact(shape.elements(), extentBytes); // or it throws
    Pattern pattern = element;
    long stride = extentBytes;
    for (int n = 0; n < shape.dimensions(); n++) {
      int dimension = shape.fastest(n);
      pattern = deal(dimension, coordinates[dimension]).pattern(stride, pattern);
      stride *= shape.dimension(dimension);
    }
    return pattern;
  }

  /** The shape of a rank's part as an array of its own. */
  public Shape localShape(int rank) {
    int[] coordinates = grid.coordinates(rank);
    Long[] dims = new Long[shape.dimensions()];
    Arrays.setAll(dims, i -> deal(i, coordinates[i]).indices());
    return new Shape(List.of(dims), shape.order());
  }

  /** Which rank has an element. */
  public int owner(long... index) {
    shape.linear(index);
    int[] coordinates = new int[index.length];
    Arrays.setAll(coordinates, i -> deal(i, 0).owner(index[i]));
    return grid.rank(coordinates);
  }

  /** Where an element lies in its owner's part. */
  public long[] local(long... index) {
    shape.linear(index);
    long[] local = new long[index.length];
    Arrays.setAll(local, i -> deal(i, 0).local(index[i]));
    return local;
  }

  /** Which element of the array lies at the given place of a rank's part. */
  public long[] global(int rank, long... local) {
    int[] coordinates = grid.coordinates(rank);
    localShape(rank).linear(local);
    long[] index = new long[local.length];
    Arrays.setAll(index, i -> deal(i, coordinates[i]).global(local[i]));
    return index;
  }

  /** A rank's indices of one dimension. */
  Indices indices(int rank, int dimension) {
    return deal(dimension, grid.coordinates(rank)[dimension]).asIndices();
  }

  private BlockCyclic deal(int dimension, int coordinate) {
    long n = shape.dimension(dimension);
    int p = grid.dimension(dimension);
    return new BlockCyclic(n, p, coordinate, spreads.get(dimension).blockSize(n, p));
  }
}
