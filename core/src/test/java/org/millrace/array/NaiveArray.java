package org.millrace.array;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/** An array as a byte array, element by element: what the real one is compared with. */
final class NaiveArray {

  private final Shape shape;
  private final int elementBytes;
  private final byte[] bytes;

  NaiveArray(Shape shape, int elementBytes, byte[] bytes) {
    this.shape = shape;
    this.elementBytes = elementBytes;
    this.bytes = bytes;
  }

  Shape shape() {
    return shape;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Every byte differs from its neighbours, by place and salt. */
  static NaiveArray filled(Shape shape, int elementBytes, int salt) {
    byte[] bytes = new byte[Math.toIntExact(shape.bytes(elementBytes))];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) ((i + 1 + salt * 31) * 0x9E3779B1 >>> 13);
    }
    return new NaiveArray(shape, elementBytes, bytes);
  }

  static NaiveArray zeros(Shape shape, int elementBytes) {
    return new NaiveArray(
        shape, elementBytes, new byte[Math.toIntExact(shape.bytes(elementBytes))]);
  }

  /** Moves element {@code from} of another array to element {@code to} of this one. */
  void put(long[] to, NaiveArray other, long[] from) {
    System.arraycopy(
        other.bytes,
        (int) (other.shape.linear(from) * elementBytes),
        bytes,
        (int) (shape.linear(to) * elementBytes),
        elementBytes);
  }

  /** All indices of a box of the given counts, in no order that matters. */
  static void each(Shape counts, Consumer<long[]> action) {
    for (long i = 0; i < counts.elements(); i++) {
      action.accept(counts.index(i));
    }
  }

  /** Where the i-th element of a section lies. */
  static long[] at(Section section, long[] i) {
    long[] index = new long[i.length];
    for (int d = 0; d < i.length; d++) {
      index[d] = section.range(d).lower() + i[d] * section.range(d).stride();
    }
    return index;
  }

  /** Where the i-th element of a section lies in a local array. */
  static long[] at(Local local, long[] i) {
    long[] index = new long[i.length];
    for (int d = 0; d < i.length; d++) {
      int axis = local.axes().get(d);
      index[axis] = local.start().get(axis) + i[d] * local.step().get(axis);
    }
    return index;
  }

  /** Every range of a dimension of n, the empty one first. */
  static List<Range> ranges(long n) {
    List<Range> all = new ArrayList<>(List.of(Range.EMPTY));
    for (long lower = 0; lower < n; lower++) {
      for (long upper = lower; upper < n; upper++) {
        for (long stride = 1; stride <= Math.max(1, upper - lower); stride++) {
          Range range = new Range(lower, upper, stride);
          if (!all.contains(range)) {
            all.add(range);
          }
        }
      }
    }
    return all;
  }

  /** Every section of a shape. */
  static List<Section> sections(Shape shape) {
    List<List<Range>> all = new ArrayList<>(List.of(List.of()));
    for (long n : shape.dims()) {
      List<List<Range>> longer = new ArrayList<>();
      for (List<Range> before : all) {
        for (Range range : ranges(n)) {
          List<Range> one = new ArrayList<>(before);
          one.add(range);
          longer.add(one);
        }
      }
      all = longer;
    }
    return all.stream().map(Section::new).toList();
  }
}
