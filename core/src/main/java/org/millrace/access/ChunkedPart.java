package org.millrace.access;

import java.util.Arrays;
import java.util.List;

/**
 * A part of an array that is stored in chunks: its bytes in the file, and the bytes of the same
 * elements in memory in the same order.
 *
 * <p>How it works: where an element lies is a sum over the dimensions, of the chunk's place and of
 * the place inside. So a pattern is a loop over chunks for each dimension, the slowest first, and
 * inside of those a loop over indices for each dimension: the file's own order, which collective
 * calls need. First and last chunks of a dimension may differ from those between, and a stride that
 * does not divide the chunk makes some more kinds. A pattern has an entry for each combination; if
 * these are too many the loops are nested dimension by dimension instead, which makes a short
 * pattern that jumps back and forth.
 *
 * <p>Immutable.
 */
public final class ChunkedPart {

  /** Combinations of chunks up to which the file's order is kept. */
  static final long MOST_KINDS = 4096;

  // constant after construction
  private final Chunking chunking;
  private final List<ChunkAxis> axes;

  ChunkedPart(Chunking chunking, List<Indices> indices) {
    this.chunking = chunking;
    ChunkAxis[] found = new ChunkAxis[indices.size()];
    Arrays.setAll(found, d -> ChunkAxis.of(indices.get(d), chunking.chunk().get(d)));
    this.axes = List.of(found);
  }

  /** Elements along each dimension. */
  public Shape counts() {
    return new Shape(
        axes.stream().map(axis -> axis.indices().count()).toList(), chunking.shape().order());
  }

  /** Its bytes, relative to the first chunk. */
  public Pattern inFile(int elementBytes) {
    return pattern(fileWeights(elementBytes), elementBytes, isInFileOrder());
  }

  /** Its bytes, relative to the first chunk, elements in the order of the array's shape. */
  public Pattern inArrayOrder(int elementBytes) {
    return pattern(fileWeights(elementBytes), elementBytes, false);
  }

  /**
   * The bytes of its elements in memory, in the order of {@link #inFile}.
   *
   * @param strides bytes from one element to the next along each dimension
   */
  public Pattern inMemory(int elementBytes, long... strides) {
    ChunkAxis.Weights[] weights = new ChunkAxis.Weights[axes.size()];
    Arrays.setAll(weights, d -> new ChunkAxis.Weights(0, 0, strides[d]));
    return pattern(weights, elementBytes, isInFileOrder());
  }

  private boolean isInFileOrder() {
    long kinds = 1;
    for (ChunkAxis axis : axes) {
      kinds *= Math.max(1, axis.phases());
      if (kinds > MOST_KINDS) {
        return false;
      }
    }
    return true;
  }

  private ChunkAxis.Weights[] fileWeights(int elementBytes) {
    ChunkAxis.Weights[] weights = new ChunkAxis.Weights[axes.size()];
    long chunkBytes = chunking.chunkBytes(elementBytes);
    Arrays.setAll(
        weights,
        d ->
            new ChunkAxis.Weights(
                chunking.grid().stride(d) * chunkBytes,
                chunking.chunkShape().stride(d) * elementBytes,
                0));
    return weights;
  }

  private Pattern pattern(ChunkAxis.Weights[] weights, int elementBytes, boolean inFileOrder) {
    Pattern element = Pattern.run(elementBytes);
    if (counts().elements() == 0) {
      return Pattern.EMPTY;
    }
    if (inFileOrder) {
      ChunkAxis.Phase[] chosen = new ChunkAxis.Phase[axes.size()];
      return byChunk(weights, element, axes.size() - 1, chosen);
    }
    Pattern pattern = element;
    for (int n = 0; n < axes.size(); n++) {
      int d = chunking.shape().fastest(n);
      Pattern body = pattern;
      pattern =
          axes.get(d).chunks(weights[d], phase -> axes.get(d).inside(phase, weights[d], body));
    }
    return pattern;
  }

  /** Loops over the chunks of the dimensions up to the n-th fastest; slower ones are chosen. */
  private Pattern byChunk(
      ChunkAxis.Weights[] weights, Pattern element, int n, ChunkAxis.Phase[] chosen) {
    if (n < 0) {
      Pattern inside = element;
      for (int k = 0; k < chosen.length; k++) {
        int d = chunking.shape().fastest(k);
        inside = axes.get(d).inside(chosen[d], weights[d], inside);
      }
      return inside;
    }
    int d = chunking.shape().fastest(n);
    return axes.get(d)
        .chunks(
            weights[d],
            phase -> {
              chosen[d] = phase;
              return byChunk(weights, element, n - 1, chosen);
            });
  }
}
