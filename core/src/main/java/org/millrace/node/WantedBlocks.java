package org.millrace.node;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.millrace.access.copy.Places;
import org.millrace.layout.StrandRuns;
import org.millrace.protocol.NodeRequest;

/**
 * Finds the blocks of a strand that the parts of a disk-directed call want, in ascending order, a
 * limited number at a time. Owned by one thread.
 */
final class WantedBlocks {

  /** The blocks that one part wants. */
  private interface Wanted {
    /** The first block from {@code block} on, which never goes down, of which bytes are wanted. */
    long from(long block);
  }

  /** For views whose offsets ascend: once through the runs, without a search. */
  private static final class Ascending implements Wanted {
    private final StrandRuns runs = new StrandRuns();
    private final long blockBytes;
    private boolean ended;

    Ascending(NodeRequest.Direct request, long from, long to) {
      blockBytes = request.layout().blockBytes();
      int strand = request.strand().strand();
      var access = request.access();
      long first = AscendingCursor.position(request.layout(), strand, access, from);
      long last = AscendingCursor.position(request.layout(), strand, access, to);
      runs.reset(request.layout(), strand, access.view(), first, Math.max(first, last));
      ended = !runs.next();
    }

    @Override
    public long from(long block) {
      long start = block * blockBytes;
      while (!ended) {
        long beyond = start - runs.length() - runs.offset(); // a run that starts here ends in time
        long run = beyond < 0 || runs.count() == 1 ? 0 : beyond / runs.stride() + 1;
        if (run < runs.count() && (run > 0 || beyond < 0)) {
          return Math.max(start, runs.offset() + run * runs.stride()) / blockBytes;
        }
        ended = !runs.next();
      }
      return Long.MAX_VALUE;
    }
  }

  /** For views in any order: each block is searched for. */
  private static final class Searched implements Wanted {
    private final WindowCursor cursor;
    private final long blockBytes;
    private final long end;
    private long found = -1;

    Searched(NodeRequest.Direct request, long to) {
      blockBytes = request.layout().blockBytes();
      cursor = new WindowCursor(0, request, Places.packed(request.access().size()));
      end = Math.ceilDiv(to, blockBytes);
    }

    @Override
    public long from(long block) {
      for (long next = Math.max(block, found); next < end; next++) {
        if (next == found || cursor.finds(next * blockBytes, (next + 1) * blockBytes)) {
          found = next;
          return next;
        }
      }
      found = Long.MAX_VALUE;
      return found;
    }
  }

  // Constant after construction.
  private final DirectPart[] parts;
  private final PartSpans spans;
  private final long from;
  private final long to;
  private final long blockBytes;
  private final long end;

  /** Of parts that begin before the next block and have not ended; else null. */
  private final @Nullable Wanted[] wanted;

  // All wanted blocks before this one were found.
  private long position;

  /** Looks at the strand's bytes {@code [from, to)}. */
  WantedBlocks(DirectPart[] parts, PartSpans spans, long from, long to) {
    this.parts = parts;
    this.spans = spans;
    this.from = from;
    this.to = to;
    this.blockBytes = parts[0].request().layout().blockBytes();
    this.wanted = new Wanted[parts.length];
    this.position = from / blockBytes;
    this.end = Math.ceilDiv(to, blockBytes);
  }

  /** The next blocks, at most {@code max}; none if there are no more. */
  long[] next(int max) {
    long[] found = new long[(int) Math.min(max, end - position)];
    int count = 0;
    while (count < found.length) {
      long block = nextBlock();
      if (block >= end) {
        position = end;
        break;
      }
      found[count++] = block;
      position = block + 1;
    }
    return Arrays.copyOf(found, count);
  }

  /** The first block from the position on that any part wants. */
  private long nextBlock() {
    long block = Long.MAX_VALUE;
    for (int i = 0; i < wanted.length && block > position; i++) {
      if (spans.end(i) <= position * blockBytes) {
        wanted[i] = null;
      } else if (spans.first(i) / blockBytes < block) {
        block = Math.min(block, of(i).from(position));
      }
    }
    return block;
  }

  private Wanted of(int part) {
    Wanted known = wanted[part];
    if (known == null) {
      NodeRequest.Direct request = parts[part].request();
      known =
          request.access().view().isAscending()
              ? new Ascending(request, from, to)
              : new Searched(request, to);
      wanted[part] = known;
    }
    return known;
  }
}
