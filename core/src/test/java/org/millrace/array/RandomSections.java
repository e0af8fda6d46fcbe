package org.millrace.array;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/** Sections and memory for them, by chance. Stateless. */
final class RandomSections {

  private RandomSections() {}

  static Order order(Random random) {
    return random.nextBoolean() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR;
  }

  static Shape shape(Random random, int max) {
    int dimensions = 1 + random.nextInt(4);
    long[] dims = LongStream.generate(() -> 1 + random.nextInt(max)).limit(dimensions).toArray();
    return Shape.of(order(random), dims);
  }

  static Section section(Random random, Shape shape) {
    List<Range> ranges = new ArrayList<>();
    for (long n : shape.dims()) {
      long a = random.nextLong(n);
      long b = random.nextLong(n);
      ranges.add(new Range(Math.min(a, b), Math.max(a, b), 1 + random.nextInt(3)));
    }
    if (random.nextInt(10) == 0) {
      ranges.set(0, Range.EMPTY);
    }
    return new Section(ranges);
  }

  /** A local array with rims, gaps and its own order, its memory filled with a mark. */
  static Local memory(Random random, Section section, int elementBytes) {
    int dimensions = section.dimensions();
    List<Integer> axes = new ArrayList<>(IntStream.range(0, dimensions).boxed().toList());
    Collections.shuffle(axes, random);
    long[] dims = new long[dimensions];
    long[] start = new long[dimensions];
    long[] step = new long[dimensions];
    for (int d = 0; d < dimensions; d++) {
      int axis = axes.get(d);
      start[axis] = random.nextInt(3);
      step[axis] = 1L + random.nextInt(2);
      long last = start[axis] + (section.range(d).count() - 1) * step[axis];
      dims[axis] = Math.max(1, last + 1 + random.nextInt(3));
    }
    Shape shape = Shape.of(order(random), dims);
    byte[] bytes = NaiveArray.filled(shape, elementBytes, random.nextInt(1000)).bytes();
    return Local.of(MemorySegment.ofArray(bytes), shape)
        .startingAt(start)
        .stepping(step)
        .permuted(axes.stream().mapToInt(Integer::intValue).toArray());
  }

  /** The same memory as a naive array; they share their bytes if {@code shared}. */
  static NaiveArray naive(Local local, int elementBytes, boolean shared) {
    byte[] bytes = (byte[]) local.segment().heapBase().orElseThrow();
    return new NaiveArray(local.shape(), elementBytes, shared ? bytes : bytes.clone());
  }
}
