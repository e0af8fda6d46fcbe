package org.millrace.plan;

import org.millrace.layout.Layout;

/**
 * A program's preferences for the layout of a new file; they do not affect existing files.
 * Immutable.
 *
 * @param unitBytes bytes that go to one strand before the next strand's turn; 0 leaves it to the
 *     cluster
 * @param strands how many strands; 0 leaves it to the cluster
 * @param blockBytes bytes of a block; 0 leaves it to the cluster
 */
public record Striping(long unitBytes, int strands, int blockBytes) {

  /** As the cluster thinks best. */
  public static final Striping DEFAULT = new Striping(0, 0, 0);

  /** Checks the bounds. */
  public Striping {
    if (unitBytes < 0 || strands < 0) {
      throw new IllegalArgumentException(
          "striping: unit of %s bytes, %s strands".formatted(unitBytes, strands));
    }
    if (blockBytes != 0) {
      Layout.requireBlockBytes(blockBytes);
    }
  }

  /** The same with another stripe unit. */
  public Striping withUnitBytes(long bytes) {
    return new Striping(bytes, strands, blockBytes);
  }

  /** The same with another number of strands. */
  public Striping withStrands(int number) {
    return new Striping(unitBytes, number, blockBytes);
  }

  /** The same with another block size. */
  public Striping withBlockBytes(int bytes) {
    return new Striping(unitBytes, strands, bytes);
  }
}
