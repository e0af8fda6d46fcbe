package org.millrace.disk;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Checks the arguments of calls of a strand of blocks. Stateless. */
final class BlockArguments {

  private BlockArguments() {}

  /** Checks that each segment takes exactly a block, and that the blocks exist. */
  static void checkRead(int blockBytes, long first, List<MemorySegment> into) {
    for (MemorySegment segment : into) {
      if (segment.byteSize() != blockBytes) {
        throw new IllegalArgumentException(
            "a block has " + blockBytes + " bytes, the segment " + segment.byteSize());
      }
    }
    checkBlocks(blockBytes, first, into.size());
  }

  /** How many blocks {@code from} holds: whole ones, and such as exist. */
  static int requireBlocks(int blockBytes, long first, MemorySegment from) {
    if (from.byteSize() % blockBytes != 0) {
      throw new IllegalArgumentException(
          "whole blocks of " + blockBytes + " bytes are written, not " + from.byteSize());
    }
    long count = from.byteSize() / blockBytes;
    checkBlocks(blockBytes, first, count);
    return Math.toIntExact(count);
  }

  private static void checkBlocks(int blockBytes, long first, long count) {
    if (first < 0 || first > Long.MAX_VALUE / blockBytes - count) {
      throw new IndexOutOfBoundsException(
          "blocks from "
              + first
              + ", "
              + count
              + " of them, must lie within 0 to "
              + Long.MAX_VALUE / blockBytes);
    }
  }

  /** Checks that a strand can end there. */
  static void checkEnd(int blockBytes, long end) {
    if (end < 0 || end > Long.MAX_VALUE - blockBytes) {
      throw new IllegalArgumentException(
          "end must lie within 0 to " + (Long.MAX_VALUE - blockBytes) + ": " + end);
    }
  }
}
