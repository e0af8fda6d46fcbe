package org.millrace.array;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * An array divided into parts of bounded size that are consecutive in its storage: whole in the
 * fastest dimensions, a few indices of one dimension, one index of each slower one. Parts are
 * computed, not stored. Immutable.
 *
 * @param shape the array
 * @param tile the shape of all parts but ragged ones
 */
public record Tiling(Shape shape, Shape tile) {

  /** Checks that tiles lie one after the other. */
  public Tiling {
    if (tile.dimensions() != shape.dimensions() || tile.order() != shape.order()) {
      throw new IllegalArgumentException("tiles of " + tile + " for an array of " + shape);
    }
    boolean whole = true;
    for (int n = 0; n < shape.dimensions(); n++) {
      int d = shape.fastest(n);
      long size = tile.dimension(d);
      if (size < 1 || (!whole && size != 1)) {
        throw new IllegalArgumentException(
            "tiles of %s do not lie one after the other in %s".formatted(tile, shape));
      }
      whole &= size >= shape.dimension(d);
    }
  }

  /**
   * The largest parts that fit into so many bytes.
   *
   * @throws IllegalArgumentException if not even one element does
   */
  public static Tiling fitting(Shape shape, int elementBytes, long bytes) {
    if (bytes < elementBytes) {
      throw new IllegalArgumentException(
          "elements of %s bytes do not fit into %s bytes".formatted(elementBytes, bytes));
    }
    long[] dims = new long[shape.dimensions()];
    long room = bytes / elementBytes;
    for (int n = 0; n < dims.length; n++) {
      int d = shape.fastest(n);
      dims[d] = Math.clamp(shape.dimension(d), 1, room);
      room = dims[d] < shape.dimension(d) ? 1 : room / dims[d];
    }
    return new Tiling(shape, Shape.of(shape.order(), dims));
  }

  /** How many parts there are. */
  public long count() {
    long count = 1;
    for (int d = 0; d < shape.dimensions(); d++) {
      count *= Math.ceilDiv(shape.dimension(d), tile.dimension(d));
    }
    return count;
  }

  /** One part; they come in the order of storage. */
  public Section section(long part) {
    if (part < 0 || part >= count()) {
      throw new IndexOutOfBoundsException("part " + part + " of " + count());
    }
    List<Range> ranges = new ArrayList<>(Section.whole(shape).ranges());
    long rest = part;
    for (int n = 0; n < shape.dimensions(); n++) {
      int d = shape.fastest(n);
      long parts = Math.ceilDiv(shape.dimension(d), tile.dimension(d));
      long first = rest % parts * tile.dimension(d);
      ranges.set(d, Range.of(first, Math.min(first + tile.dimension(d), shape.dimension(d)) - 1));
      rest /= parts;
    }
    return new Section(ranges);
  }

  /** The shape of one part. */
  public Shape shape(long part) {
    return section(part).shape(shape.order());
  }
}
