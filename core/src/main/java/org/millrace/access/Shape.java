package org.millrace.access;

import java.util.Arrays;
import java.util.List;

/**
 * The sizes of an array's dimensions and the order of its storage. Dimensions may be 0. Immutable.
 *
 * @param dims the size of each dimension, none negative; at least one
 * @param order which index runs fastest
 */
public record Shape(List<Long> dims, Order order) {

  /** Checks that the number of elements fits in a {@code long}. */
  public Shape {
    dims = List.copyOf(dims);
    if (dims.isEmpty()) {
      throw new IllegalArgumentException("shape has no dimension");
    }
    for (long dim : dims) {
      if (dim < 0) {
        throw new IllegalArgumentException("shape " + dims + " has the negative dimension " + dim);
      }
    }
    long product = 1;
    for (long dim : dims) {
      if (dim != 0 && product > Long.MAX_VALUE / dim) {
        throw new IllegalArgumentException("shape " + dims + " has more than 2^63-1 elements");
      }
      product *= dim == 0 ? 1 : dim;
    }
  }

  /** A shape of the given dimensions. */
  public static Shape of(Order order, long... dims) {
    return new Shape(Arrays.stream(dims).boxed().toList(), order);
  }

  /** A shape whose last index runs fastest. */
  public static Shape rowMajor(long... dims) {
    return of(Order.ROW_MAJOR, dims);
  }

  /** A shape whose first index runs fastest. */
  public static Shape columnMajor(long... dims) {
    return of(Order.COLUMN_MAJOR, dims);
  }

  /** How many dimensions there are. */
  public int dimensions() {
    return dims.size();
  }

  /** The size of one dimension. */
  public long dimension(int i) {
    return dims.get(i);
  }

  /** How many elements there are. */
  public long elements() {
    long product = 1;
    for (long dim : dims) {
      product *= dim;
    }
    return product;
  }

  /** The number of bytes of an array of elements of the given size. */
  public long bytes(int elementBytes) {
    checkElementBytes(elementBytes);
    if (elements() > Long.MAX_VALUE / elementBytes) {
      throw new IllegalArgumentException(
          "shape " + dims + " of " + elementBytes + "-byte elements exceeds 2^63-1 bytes");
    }
    return elements() * elementBytes;
  }

  /** The dimension that is the n-th fastest: 0 gives the one whose neighbours lie side by side. */
  public int fastest(int n) {
    return order == Order.COLUMN_MAJOR ? n : dimensions() - 1 - n;
  }

  /** How many elements lie from one index of a dimension to the next. */
  public long stride(int dimension) {
    long product = 1;
    for (int n = 0; fastest(n) != dimension; n++) {
      product *= dims.get(fastest(n));
    }
    return product;
  }

  /** The strides of all dimensions. */
  public long[] strides() {
    long[] strides = new long[dimensions()];
    Arrays.setAll(strides, this::stride);
    return strides;
  }

  /**
   * The number of an element in storage order.
   *
   * @throws IndexOutOfBoundsException if an index is not in its dimension
   */
  public long linear(long... index) {
    if (index.length != dimensions()) {
      throw new IllegalArgumentException(
          index.length + " indices for a shape of " + dimensions() + " dimensions");
    }
    long linear = 0;
    for (int n = dimensions() - 1; n >= 0; n--) {
      int dimension = fastest(n);
      long size = dims.get(dimension);
      if (index[dimension] < 0 || index[dimension] >= size) {
        throw new IndexOutOfBoundsException(
            "index " + index[dimension] + " of dimension " + dimension + " is not below " + size);
      }
      linear = linear * size + index[dimension];
    }
    return linear;
  }

  /** The indices of an element from its number in storage order. */
  public long[] index(long linear) {
    if (linear < 0 || linear >= elements()) {
      throw new IndexOutOfBoundsException(
          "element " + linear + " is not in a shape of " + elements() + " elements");
    }
    long[] index = new long[dimensions()];
    long rest = linear;
    for (int n = 0; n < dimensions(); n++) {
      long size = dims.get(fastest(n));
      index[fastest(n)] = rest % size;
      rest /= size;
    }
    return index;
  }

  static void checkElementBytes(int elementBytes) {
    if (elementBytes <= 0) {
      throw new IllegalArgumentException("element size " + elementBytes + " is not positive");
    }
  }
}
