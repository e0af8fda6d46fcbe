package org.millrace.spark;

import java.util.List;
import org.millrace.access.Chunking;
import org.millrace.access.Shape;

/**
 * Where elements lie in a file, counted in elements from the first one. Used by one thread, because
 * of the arrays that it uses again.
 */
final class ElementPositions {

  // constant after construction
  private final Shape shape;
  private final List<Long> chunk;
  private final Shape grid;
  private final Shape inChunk;

  // of the thread that uses it
  private final long[] outer;
  private final long[] inner;

  /**
   * Those of an array.
   *
   * @param chunk sizes of its chunks; empty if it has none
   */
  ElementPositions(Shape shape, List<Long> chunk) {
    this.shape = shape;
    this.chunk = chunk;
    this.grid = chunk.isEmpty() ? shape : new Chunking(shape, chunk).grid();
    this.inChunk = chunk.isEmpty() ? shape : new Chunking(shape, chunk).chunkShape();
    this.outer = new long[shape.dimensions()];
    this.inner = new long[shape.dimensions()];
  }

  long of(long[] index) {
    if (chunk.isEmpty()) {
      return shape.linear(index);
    }
    for (int d = 0; d < index.length; d++) {
      outer[d] = index[d] / chunk.get(d);
      inner[d] = index[d] % chunk.get(d);
    }
    return grid.linear(outer) * inChunk.elements() + inChunk.linear(inner);
  }
}
