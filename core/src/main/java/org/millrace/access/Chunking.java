package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * How an array is cut into chunks of one shape that lie one behind the other. Chunks at the end of
 * a dimension are as large as all others; what they hold beyond the array is padding. Chunks are in
 * the order of the array's shape, and so are the elements of each. Immutable.
 *
 * @param shape of the array, and the order of chunks and of elements in them
 * @param chunk elements of a chunk along each dimension, at least 1
 */
public record Chunking(Shape shape, List<Long> chunk) {

  /** Checks that both have the same dimensions. */
  public Chunking {
    Objects.requireNonNull(shape, "shape");
    chunk = List.copyOf(chunk);
    if (chunk.size() != shape.dimensions()) {
      throw new IllegalArgumentException(
          "chunks %s of %s dimensions for an array of %s"
              .formatted(chunk, chunk.size(), shape.dimensions()));
    }
    for (long size : chunk) {
      if (size < 1) {
        throw new IllegalArgumentException("chunks " + chunk + " have a size below 1");
      }
    }
  }

  /** Chunks of the given sizes. */
  public static Chunking of(Shape shape, long... chunk) {
    return new Chunking(shape, Arrays.stream(chunk).boxed().toList());
  }

  /** How many chunks there are along each dimension. */
  public Shape grid() {
    List<Long> counts = new ArrayList<>();
    for (int d = 0; d < chunk.size(); d++) {
      counts.add(Math.ceilDiv(shape.dimension(d), chunk.get(d)));
    }
    return new Shape(counts, shape.order());
  }

  /** The shape of one chunk. */
  public Shape chunkShape() {
    return new Shape(chunk, shape.order());
  }

  /** Bytes of one chunk. */
  public long chunkBytes(int elementBytes) {
    return chunkShape().bytes(elementBytes);
  }

  /** Bytes of all chunks, padding included. */
  public long bytes(int elementBytes) {
    long chunks = grid().elements();
    long each = chunkBytes(elementBytes);
    if (chunks > Long.MAX_VALUE / each) {
      throw new IllegalArgumentException(
          "%s chunks of %s bytes exceed 2^63-1 bytes".formatted(chunks, each));
    }
    return chunks * each;
  }

  /**
   * A section of the array.
   *
   * @throws IndexOutOfBoundsException if it reaches beyond the shape
   */
  public ChunkedPart section(Section section) {
    section.checkIn(shape);
    return new ChunkedPart(this, section.ranges().stream().map(Indices::of).toList());
  }

  /**
   * A rank's part of a box of the array.
   *
   * @param distribution of the box
   * @param origin the first index of the box along each dimension
   */
  public ChunkedPart part(Distribution distribution, int rank, long... origin) {
    List<Indices> indices = new ArrayList<>();
    for (int d = 0; d < shape.dimensions(); d++) {
      if (origin[d] < 0 || distribution.shape().dimension(d) > shape.dimension(d) - origin[d]) {
        throw new IndexOutOfBoundsException(
            "a box of %s from %s on is not in an array of %s"
                .formatted(distribution.shape().dims(), Arrays.toString(origin), shape.dims()));
      }
      indices.add(distribution.indices(rank, d).shifted(origin[d]));
    }
    return new ChunkedPart(this, indices);
  }
}
