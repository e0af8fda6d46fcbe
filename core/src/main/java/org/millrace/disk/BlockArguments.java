package org.millrace.disk;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** What may be asked of a strand of blocks. Stateless. */
final class BlockArguments {

  private static final int BLOCK_BYTES = BlockStore.BLOCK_BYTES;

  private BlockArguments() {}

  /** Checks that each segment takes exactly a block, and that the blocks exist. */
  static void checkRead(long first, List<MemorySegment> into) {
    for (MemorySegment segment : into) {
      if (segment.byteSize() != BLOCK_BYTES) {
        throw new IllegalArgumentException(
            "a block has " + BLOCK_BYTES + " bytes, the segment " + segment.byteSize());
      }
    }
    checkBlocks(first, into.size());
  }

  /** How many blocks {@code from} holds: whole ones, and such as exist. */
  static int requireBlocks(long first, MemorySegment from) {
    if (from.byteSize() % BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "whole blocks of " + BLOCK_BYTES + " bytes are written, not " + from.byteSize());
    }
    long count = from.byteSize() / BLOCK_BYTES;
    checkBlocks(first, count);
    return Math.toIntExact(count);
  }

  private static void checkBlocks(long first, long count) {
    if (first < 0 || first > Long.MAX_VALUE / BLOCK_BYTES - count) {
      throw new IndexOutOfBoundsException(
          "blocks from "
              + first
              + ", "
              + count
              + " of them, must lie within 0 to "
              + Long.MAX_VALUE / BLOCK_BYTES);
    }
  }

  /** Checks that a strand can end there. */
  static void checkEnd(long end) {
    if (end < 0 || end > Long.MAX_VALUE - BLOCK_BYTES) {
      throw new IllegalArgumentException(
          "end must lie within 0 to " + (Long.MAX_VALUE - BLOCK_BYTES) + ": " + end);
    }
  }
}
