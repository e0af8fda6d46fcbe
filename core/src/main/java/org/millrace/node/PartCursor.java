package org.millrace.node;

/**
 * Iterates over the bytes that one part of a disk-directed call wants of a range of the strand.
 * Owned by one thread.
 */
interface PartCursor {

  /** Starts with the strand offset {@code from}; what lies from {@code to} on is left out. */
  void start(long from, long to);

  /**
   * No byte before this strand offset is wanted any more; {@link Long#MAX_VALUE} if there is none
   * at all.
   */
  long next();

  /**
   * Adds what is wanted before {@code end}, which is in the block that starts at {@code base} or is
   * its end, unless the pieces get full before: then more is there.
   */
  void take(long base, long end, BlockPieces into);
}
