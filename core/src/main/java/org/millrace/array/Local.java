package org.millrace.array;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.copy.Packer;
import org.millrace.access.copy.Places;

/**
 * Memory that elements of an array are read into or written from: a local array, and a place in it.
 * It has its own shape and order: it may have a rim (ghost cells) around the elements, skip
 * elements between them, and have its dimensions in another order than the file.
 *
 * <p>Element (i0, i1, ...) of a section lies at index {@code start + i * step} of the memory's
 * dimensions, where dimension d of the section runs along dimension {@code axes(d)} of the memory.
 *
 * <p>Immutable, except for the bytes.
 *
 * @param segment the memory
 * @param words what it holds
 * @param shape of the whole local array, from the segment's start on
 * @param start where the first element lies, by dimension of the memory
 * @param step from one element to the next, by dimension of the memory
 * @param axes for each dimension of the file that of the memory
 */
public record Local(
    MemorySegment segment,
    Words words,
    Shape shape,
    List<Long> start,
    List<Long> step,
    List<Integer> axes) {

  /** Checks that all have the same number of dimensions and that axes are a permutation. */
  public Local {
    Objects.requireNonNull(segment, "segment");
    Objects.requireNonNull(words, "words");
    start = List.copyOf(start);
    step = List.copyOf(step);
    axes = List.copyOf(axes);
    int dimensions = shape.dimensions();
    if (start.size() != dimensions || step.size() != dimensions || axes.size() != dimensions) {
      throw new IllegalArgumentException(
          "local array of %s dimensions with %s starts, %s steps and %s axes"
              .formatted(dimensions, start.size(), step.size(), axes.size()));
    }
    if (!axes.stream().sorted().toList().equals(identity(dimensions))) {
      throw new IllegalArgumentException(
          "axes " + axes + " are not a permutation of 0.." + (dimensions - 1));
    }
    for (int i = 0; i < dimensions; i++) {
      if (start.get(i) < 0 || step.get(i) < 1) {
        throw new IllegalArgumentException(
            "dimension %s starts at %s with step %s, must be at least 0 and 1"
                .formatted(i, start.get(i), step.get(i)));
      }
    }
  }

  /** All of a local array whose elements are moved as they are. */
  public static Local of(MemorySegment segment, Shape shape) {
    return of(segment, Words.BYTES, shape);
  }

  /** All of a local array. */
  public static Local of(MemorySegment segment, Words words, Shape shape) {
    int dimensions = shape.dimensions();
    return new Local(
        segment,
        words,
        shape,
        Collections.nCopies(dimensions, 0L),
        Collections.nCopies(dimensions, 1L),
        identity(dimensions));
  }

  /** A local array of bytes. */
  public static Local of(byte[] values, Shape shape) {
    return of(MemorySegment.ofArray(values), Words.BYTE, shape);
  }

  /** A local array of shorts. */
  public static Local of(short[] values, Shape shape) {
    return of(MemorySegment.ofArray(values), Words.SHORT, shape);
  }

  /** A local array of ints. */
  public static Local of(int[] values, Shape shape) {
    return of(MemorySegment.ofArray(values), Words.INT, shape);
  }

  /** A local array of longs. */
  public static Local of(long[] values, Shape shape) {
    return of(MemorySegment.ofArray(values), Words.LONG, shape);
  }

  /** A local array of floats. */
  public static Local of(float[] values, Shape shape) {
    return of(MemorySegment.ofArray(values), Words.FLOAT, shape);
  }

  /** A local array of doubles. */
  public static Local of(double[] values, Shape shape) {
    return of(MemorySegment.ofArray(values), Words.DOUBLE, shape);
  }

  /** The memory of a rank that moves nothing. */
  public static Local nothing(int dimensions) {
    return of(MemorySegment.NULL, Shape.rowMajor(new long[dimensions]));
  }

  private static List<Integer> identity(int dimensions) {
    return IntStream.range(0, dimensions).boxed().toList();
  }

  /** The same from another first element on: what lies before and behind is a rim. */
  public Local startingAt(long... first) {
    return new Local(segment, words, shape, boxed(first), step, axes);
  }

  /** The same with gaps: every {@code steps[i]}-th index of dimension i of the memory. */
  public Local stepping(long... steps) {
    return new Local(segment, words, shape, start, boxed(steps), axes);
  }

  private static List<Long> boxed(long... values) {
    return Arrays.stream(values).boxed().toList();
  }

  /** The same with dimension d of the file along dimension {@code newAxes[d]} of the memory. */
  public Local permuted(int... newAxes) {
    return new Local(segment, words, shape, start, step, Arrays.stream(newAxes).boxed().toList());
  }

  /** The same with the dimensions in the opposite order: rows become columns. */
  public Local transposed() {
    return new Local(segment, words, shape, start, step, axes.reversed());
  }

  /** The same from an element of the section on: {@code offset[d]} further along dimension d. */
  public Local from(long... offset) {
    Long[] moved = start.toArray(Long[]::new);
    for (int d = 0; d < offset.length; d++) {
      int axis = axes.get(d);
      moved[axis] += offset[d] * step.get(axis);
    }
    return new Local(segment, words, shape, List.of(moved), step, axes);
  }

  /**
   * Refuses memory that cannot hold such elements.
   *
   * @param counts how many along each dimension of the file
   */
  public void check(Shape counts, ElementType type) {
    var _ = pattern(counts, type);
  }

  /**
   * Copies elements into this memory; numbers get the byte order of it.
   *
   * @param source where they come from
   * @param places their bytes there, in the order of {@code counts}
   * @param counts elements along each dimension
   * @param type of the elements of the source
   */
  public void copyFrom(MemorySegment source, Pattern places, Shape counts, ElementType type) {
    Pattern mine = pattern(counts, type);
    Packer.copy(source, new Places(places, 0), segment, new Places(mine, 0), mine.size());
    if (words.swaps(type)) {
      Words.swap(segment, mine, type.wordBytes());
    }
  }

  /** Copies elements out of this memory: the opposite of {@link #copyFrom}. */
  public void copyTo(MemorySegment target, Pattern places, Shape counts, ElementType type) {
    Pattern mine = pattern(counts, type);
    Packer.copy(segment, new Places(mine, 0), target, new Places(places, 0), mine.size());
    if (words.swaps(type)) {
      Words.swap(target, places, type.wordBytes());
    }
  }

  /**
   * Which bytes of the segment are moved, in the order in which a file of the given order has them.
   *
   * @param counts how many elements along each dimension of the file
   * @throws IndexOutOfBoundsException if they do not fit into the local array, or that not into the
   *     segment
   */
  Pattern pattern(Shape counts, ElementType type) {
    return pattern(
        counts,
        type,
        strides -> {
          Pattern pattern = Pattern.run(type.bytes());
          for (int n = 0; n < counts.dimensions(); n++) {
            int dimension = counts.fastest(n);
            pattern = Pattern.loop(counts.dimension(dimension), strides[dimension], pattern);
          }
          return pattern;
        });
  }

  /**
   * As {@link #pattern(Shape, ElementType)}, in another order.
   *
   * @param ordered makes the pattern, from the byte of the first element on, of the bytes from one
   *     element to the next along each dimension of the file
   */
  Pattern pattern(Shape counts, ElementType type, Function<long[], Pattern> ordered) {
    words.checkHolds(type);
    if (counts.dimensions() != shape.dimensions()) {
      throw new IllegalArgumentException(
          "memory of %s dimensions for an array of %s"
              .formatted(shape.dimensions(), counts.dimensions()));
    }
    if (counts.elements() == 0) {
      return Pattern.EMPTY;
    }
    if (shape.bytes(type.bytes()) > segment.byteSize()) {
      throw new IndexOutOfBoundsException(
          "a local array of %s elements of %s bytes needs %s bytes, the memory has %s"
              .formatted(
                  shape.dims(), type.bytes(), shape.bytes(type.bytes()), segment.byteSize()));
    }
    long[] strides = new long[counts.dimensions()];
    long displacement = 0;
    for (int dimension = 0; dimension < strides.length; dimension++) {
      int axis = axes.get(dimension);
      checkFits(dimension, axis, counts.dimension(dimension));
      long bytes = shape.stride(axis) * type.bytes();
      displacement += start.get(axis) * bytes;
      strides[dimension] = step.get(axis) * bytes;
    }
    return ordered.apply(strides).shifted(displacement);
  }

  private void checkFits(int dimension, int axis, long count) {
    long room = shape.dimension(axis) - start.get(axis);
    if (room < 1 || count - 1 > (room - 1) / step.get(axis)) {
      throw new IndexOutOfBoundsException(
          "%s elements along dimension %s do not fit into dimension %s of the memory: size %s, from %s with step %s"
              .formatted(
                  count, dimension, axis, shape.dimension(axis), start.get(axis), step.get(axis)));
    }
  }
}
