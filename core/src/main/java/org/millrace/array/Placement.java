package org.millrace.array;

import org.millrace.access.Distribution;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.FileAccess;

/** How an array lies in its file. Immutable. */
sealed interface Placement permits Dense, Chunked {

  /** Sizes of the dimensions, and the order of the elements. */
  Shape shape();

  /** The type of the elements. */
  ElementType type();

  /** Where the elements begin. */
  long headerBytes();

  /** Where the elements end. */
  long end();

  /** A part of the array, which some rank wants. */
  interface Part {

    /** Elements along each dimension, in the array's order. */
    Shape counts();

    /** How many bytes they are. */
    long size();

    /** A rank's way to the part's bytes. */
    FileAccess through(ArrayFile file);

    /** A rank's way to the elements in the order of the array's shape, from a byte of these on. */
    FileAccess inArrayOrder(ArrayFile file, long position);

    /** The bytes in memory, in the order in which {@link #through} has them. */
    Pattern places(Local local);
  }

  /** A section of the array. */
  Part section(Section section);

  /**
   * A rank's part of a box of the array, which lies in one piece in a file without chunks.
   *
   * @param distribution of the box
   */
  Part distributed(Section box, Distribution distribution, int rank, int ranks);

  /** Checks that a distribution is one of this box over this group. */
  static void check(Shape box, Distribution distribution, int ranks) {
    if (!distribution.shape().equals(box)) {
      throw new IllegalArgumentException(
          "a distribution of " + distribution.shape() + " for an array of " + box);
    }
    if (distribution.grid().ranks() != ranks) {
      throw new IllegalArgumentException(
          "a grid of %s ranks in a group of %s".formatted(distribution.grid().ranks(), ranks));
    }
  }

  /** The lowest index of each dimension of a box. */
  static long[] origin(Section box) {
    return box.ranges().stream().mapToLong(range -> range.lower()).toArray();
  }
}
