package org.millrace.array.zarr;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.copy.Packer;
import org.millrace.access.copy.Places;

/**
 * The codec {@code transpose} for chunks of one shape. Immutable.
 *
 * @param shape of a chunk before
 * @param order for each dimension of what is stored that of the chunk
 */
record Transposition(Shape shape, List<Integer> order) {

  static Transposition of(Extension codec, Shape shape) {
    Fields fields = codec.fields();
    List<Long> order = fields.numbers("order");
    fields.checkRest();
    List<Long> sorted = order.stream().sorted().toList();
    if (!sorted.equals(LongStream.range(0, shape.dimensions()).boxed().toList())) {
      throw fields.wrong(
          "order", "a permutation of 0 to " + (shape.dimensions() - 1), Json.numbers(order));
    }
    return new Transposition(shape, order.stream().map(Long::intValue).toList());
  }

  boolean isReversal() {
    int n = order.size();
    return IntStream.range(0, n).allMatch(i -> order.get(i) == n - 1 - i);
  }

  /** The shape of what is stored. */
  Shape stored() {
    List<Long> dims = new ArrayList<>();
    for (int d : order) {
      dims.add(shape.dimension(d));
    }
    return new Shape(dims, shape.order());
  }

  byte[] encode(byte[] chunk, int elementBytes) {
    byte[] stored = new byte[chunk.length];
    Packer.copy(
        MemorySegment.ofArray(chunk),
        new Places(pattern(elementBytes), 0),
        MemorySegment.ofArray(stored),
        Places.packed(chunk.length),
        chunk.length);
    return stored;
  }

  byte[] decode(byte[] stored, int elementBytes) {
    byte[] chunk = new byte[stored.length];
    Packer.copy(
        MemorySegment.ofArray(stored),
        Places.packed(chunk.length),
        MemorySegment.ofArray(chunk),
        new Places(pattern(elementBytes), 0),
        chunk.length);
    return chunk;
  }

  /** The elements of a chunk in the order of what is stored. */
  private Pattern pattern(int elementBytes) {
    Pattern pattern = Pattern.run(elementBytes);
    for (int i = order.size() - 1; i >= 0; i--) {
      int d = order.get(i);
      pattern = Pattern.loop(shape.dimension(d), shape.stride(d) * elementBytes, pattern);
    }
    return pattern;
  }
}
