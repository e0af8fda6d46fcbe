package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The blocks of a strand whose last write failed. Such a block is as it was, as it should be, or
 * mixed by sectors. None of that is rot: if it had content before, it is taken as it is now,
 * exactly as after a crash. That needs a read, which may fail as well; until it has succeeded, the
 * block has no valid sum, so it can neither be read nor may the flush end that would drop its
 * intent.
 *
 * <p>Safe for use by several threads; calls for the same block are kept apart by the caller.
 */
final class FailedWrites {

  // Constant after construction.
  private final StrandData data;
  private final Sums sums;
  private final BlockSum blockSum;
  private final int blockBytes;

  /** Blocks whose content is not known. */
  private final NavigableSet<Long> open = new ConcurrentSkipListSet<>();

  FailedWrites(StrandData data, Sums sums, BlockSum blockSum, int blockBytes) {
    this.data = data;
    this.sums = sums;
    this.blockSum = blockSum;
    this.blockBytes = blockBytes;
  }

  /** A write of {@code count} blocks failed, for this reason; takes them as they are, if it can. */
  void onFailed(long first, int count, IOException cause) {
    for (long block = first; block < first + count; block++) {
      open.add(block);
    }
    try {
      settle(first, first + count);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** A write of {@code count} blocks succeeded: what they hold is known. */
  void onWritten(long first, int count) {
    if (!open.isEmpty()) {
      open.subSet(first, first + count).clear();
    }
  }

  /** The strand ends before {@code block} now. */
  void cut(long block) {
    open.tailSet(block).clear();
  }

  /** Takes all blocks as they are now; fails if one cannot be read. */
  void settleAll() throws IOException {
    settle(0, Long.MAX_VALUE);
  }

  /** Likewise those of {@code [first, before)}. */
  void settle(long first, long before) throws IOException {
    if (open.isEmpty()) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(blockBytes);
      for (long block : open.subSet(first, before)) {
        if (sums.get(block, 1)[0] != BlockSum.NEVER_WRITTEN) {
          data.read(block, List.of(content));
          sums.set(block, new int[] {blockSum.of(block, content)});
        }
        open.remove(block);
      }
    }
  }
}
