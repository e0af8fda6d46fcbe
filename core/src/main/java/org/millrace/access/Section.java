package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A part of an array: a {@link Range} of indices in each dimension. Its elements are taken in the
 * array's own storage order. Immutable.
 *
 * @param ranges one for each dimension, at least one
 */
public record Section(List<Range> ranges) {

  /** Refuses a section without dimensions. */
  public Section {
    ranges = List.copyOf(ranges);
    if (ranges.isEmpty()) {
      throw new IllegalArgumentException("section has no dimension");
    }
  }

  /** A section of the given ranges. */
  public static Section of(Range... ranges) {
    return new Section(Arrays.asList(ranges));
  }

  /** All of an array. */
  public static Section whole(Shape shape) {
    return new Section(shape.dims().stream().map(Range::all).toList());
  }

  /** Reads {@code l:u:s} per dimension, separated by commas, as in {@code 0:9:2,3:3}. */
  public static Section parse(String text) {
    return new Section(Arrays.stream(text.split(",", -1)).map(Range::parse).toList());
  }

  /** How many dimensions there are. */
  public int dimensions() {
    return ranges.size();
  }

  /** The range of one dimension. */
  public Range range(int dimension) {
    return ranges.get(dimension);
  }

  /** How many elements are selected. */
  public long elements() {
    return shape(Order.ROW_MAJOR).elements();
  }

  /** Whether none is. */
  public boolean isEmpty() {
    return ranges.stream().anyMatch(Range::isEmpty);
  }

  /** The shape of an array that holds just the selected elements. */
  public Shape shape(Order order) {
    return new Shape(ranges.stream().map(Range::count).toList(), order);
  }

  /**
   * The bytes of this section in an array, as a pattern relative to the array's start. Ascending.
   *
   * @throws IndexOutOfBoundsException if the section reaches beyond the shape
   */
  public Pattern in(Shape shape, int elementBytes) {
    shape.bytes(elementBytes);
    return in(shape, Pattern.run(elementBytes), elementBytes);
  }

  /**
   * As {@link #in(Shape, int)} for elements of which not all bytes count, or that lie further apart
   * than they are long.
   *
   * @param element the bytes of the first element, relative to the array's start
   * @param extentBytes from one element to the next
   */
  public Pattern in(Shape shape, Pattern element, long extentBytes) {
    checkIn(shape);
    var _ = Math.multiplyExact(shape.elements(), extentBytes); // or it throws
    if (isEmpty()) {
      return Pattern.EMPTY;
    }
    Pattern pattern = element;
    long stride = extentBytes;
    long displacement = 0;
    for (int n = 0; n < shape.dimensions(); n++) {
      Range range = ranges.get(shape.fastest(n));
      pattern = Pattern.loop(range.count(), range.stride() * stride, pattern);
      displacement += range.lower() * stride;
      stride *= shape.dimension(shape.fastest(n));
    }
    return pattern.shifted(displacement);
  }

  /** Throws unless every index of this section is in the shape. */
  public void checkIn(Shape shape) {
    if (shape.dimensions() != dimensions()) {
      throw new IllegalArgumentException(
          "section "
              + this
              + " has "
              + dimensions()
              + " dimensions, the array "
              + shape.dimensions());
    }
    for (int i = 0; i < dimensions(); i++) {
      if (ranges.get(i).upper() >= shape.dimension(i)) {
        throw new IndexOutOfBoundsException(
            "range "
                + ranges.get(i)
                + " of dimension "
                + i
                + " reaches beyond its size "
                + shape.dimension(i));
      }
    }
  }

  /** The elements in both. */
  public Section intersect(Section other) {
    if (other.dimensions() != dimensions()) {
      throw new IllegalArgumentException(
          "sections " + this + " and " + other + " differ in their number of dimensions");
    }
    List<Range> common = new ArrayList<>();
    for (int i = 0; i < dimensions(); i++) {
      common.add(ranges.get(i).intersect(other.ranges.get(i)));
    }
    return new Section(common);
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return ranges.stream().map(Range::toString).collect(Collectors.joining(","));
  }
}
