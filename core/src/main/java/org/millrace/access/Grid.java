package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ranks arranged in a grid, row-major: the last coordinate runs fastest. Immutable.
 *
 * @param dims how many ranks along each dimension, at least one each
 */
public record Grid(List<Integer> dims) {

  /** Checks the dimensions. */
  public Grid {
    dims = List.copyOf(dims);
    if (dims.isEmpty()) {
      throw new IllegalArgumentException("grid has no dimension");
    }
    long ranks = 1;
    for (int dim : dims) {
      if (dim < 1) {
        throw new IllegalArgumentException("grid " + dims + " has dimension " + dim + " below 1");
      }
      ranks *= dim;
      if (ranks > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("grid " + dims + " has more than 2^31-1 ranks");
      }
    }
  }

  /** A grid of the given dimensions. */
  public static Grid of(int... dims) {
    return new Grid(Arrays.stream(dims).boxed().toList());
  }

  /**
   * All ranks in dimensions as equal as can be, the largest first, as MPI_Dims_create does: the
   * largest dimension is the smallest possible one, then the next, and so on.
   */
  public static Grid balanced(int ranks, int dimensions) {
    if (ranks < 1 || dimensions < 1) {
      throw new IllegalArgumentException(
          "no grid of " + ranks + " ranks in " + dimensions + " dimensions");
    }
    List<Integer> dims = new ArrayList<>();
    split(ranks, dimensions, ranks, dims);
    return new Grid(dims);
  }

  /**
   * Adds dimensions, none above max, whose product is ranks. False, adding none, if there are none.
   */
  private static boolean split(int ranks, int dimensions, int max, List<Integer> dims) {
    if (dimensions == 0) {
      return ranks == 1;
    }
    for (int dim = 1; dim <= Math.min(ranks, max); dim++) {
      if (ranks % dim == 0 && Math.pow(dim, dimensions) >= ranks * 0.999) {
        dims.add(dim);
        if (split(ranks / dim, dimensions - 1, dim, dims)) {
          return true;
        }
        dims.removeLast();
      }
    }
    return false;
  }

  /** How many dimensions there are. */
  public int dimensions() {
    return dims.size();
  }

  /** How many ranks lie along a dimension. */
  public int dimension(int i) {
    return dims.get(i);
  }

  /** How many ranks there are. */
  public int ranks() {
    int product = 1;
    for (int dim : dims) {
      product *= dim;
    }
    return product;
  }

  /** Where a rank lies in the grid. */
  public int[] coordinates(int rank) {
    if (rank < 0 || rank >= ranks()) {
      throw new IndexOutOfBoundsException("rank " + rank + " is not in a grid of " + ranks());
    }
    int[] coordinates = new int[dimensions()];
    int rest = rank;
    for (int i = dimensions() - 1; i >= 0; i--) {
      coordinates[i] = rest % dims.get(i);
      rest /= dims.get(i);
    }
    return coordinates;
  }

  /** Which rank lies at the given coordinates. */
  public int rank(int... coordinates) {
    if (coordinates.length != dimensions()) {
      throw new IllegalArgumentException(
          coordinates.length + " coordinates for a grid of " + dimensions() + " dimensions");
    }
    int rank = 0;
    for (int i = 0; i < dimensions(); i++) {
      if (coordinates[i] < 0 || coordinates[i] >= dims.get(i)) {
        throw new IndexOutOfBoundsException(
            "coordinate " + coordinates[i] + " of dimension " + i + " is not below " + dims.get(i));
      }
      rank = rank * dims.get(i) + coordinates[i];
    }
    return rank;
  }
}
