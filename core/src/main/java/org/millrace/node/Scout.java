package org.millrace.node;

import org.millrace.cache.Lease;
import org.millrace.disk.BlockStore;
import org.millrace.layout.StrandRuns;
import org.millrace.protocol.NodeRequest;

/**
 * Runs ahead of a worker that reads and lets the disk begin with the blocks that are wanted next,
 * and only those, in large transfers. Parts whose views do not ascend are not looked at.
 *
 * <p>Owned by one thread.
 */
final class Scout {

  /** The blocks that one part wants, ascending. */
  private static final class Wanted {
    private final StrandRuns runs = new StrandRuns();
    private boolean ended;

    Wanted(NodeRequest.Direct request, long from, long to) {
      int strand = request.strand().strand();
      var access = request.access();
      long first = AscendingCursor.position(request.layout(), strand, access, from);
      long last = AscendingCursor.position(request.layout(), strand, access, to);
      runs.reset(request.layout(), strand, access.view(), first, Math.max(first, last));
      ended = !runs.next();
    }

    /** The first block from {@code block} on, which never goes down, of which bytes are wanted. */
    long from(long block) {
      long start = block * BlockStore.BLOCK_BYTES;
      while (!ended) {
        long beyond = start - runs.length() - runs.offset(); // a run that starts here ends in time
        long run = beyond < 0 || runs.count() == 1 ? 0 : beyond / runs.stride() + 1;
        if (run < runs.count() && (run > 0 || beyond < 0)) {
          return Math.max(start, runs.offset() + run * runs.stride()) / BlockStore.BLOCK_BYTES;
        }
        ended = !runs.next();
      }
      return Long.MAX_VALUE;
    }
  }

  private final Wanted[] wanted;
  private final long end;
  private final long window;
  private final long transfer;

  // All wanted blocks before this one were asked for.
  private long position;

  /** Starts with the block at {@code from}; blocks from {@code to} on are left out. */
  Scout(DirectPart[] parts, Lease lease, int depth, long from, long to) {
    wanted =
        java.util.Arrays.stream(parts)
            .map(DirectPart::request)
            .filter(request -> request.access().view().isAscending())
            .map(request -> new Wanted(request, from, to))
            .toArray(Wanted[]::new);
    position = from / BlockStore.BLOCK_BYTES;
    end = Math.ceilDiv(to, BlockStore.BLOCK_BYTES);
    window = lease.aheadBlocks(depth + 1);
    transfer = Math.max(1, Math.min(lease.transferBlocks(), window / 2));
  }

  /** Looks ahead of the worker, which is at {@code block} now. */
  void lookAhead(Lease lease, long block) {
    while (window > 0 && position < end && position + transfer <= block + window) {
      long first = next(position);
      if (first >= end || first + transfer > block + window) {
        position = Math.min(first, end);
        return;
      }
      long last = first + 1;
      while (last < first + transfer && next(last) == last) {
        last++;
      }
      position = lease.ahead(first, last);
      if (position < last) {
        return;
      }
    }
  }

  private long next(long block) {
    long first = Long.MAX_VALUE;
    for (Wanted one : wanted) {
      first = Math.min(first, one.from(block));
    }
    return first;
  }
}
