package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.message.MappedSlabs;
import org.millrace.protocol.BlockVersions;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;

/**
 * Where blocks of one strand lay when its node last pinned them for this side to read. While their
 * {@linkplain BlockVersions versions} stay the same this side can read them there again, without a
 * message.
 *
 * <p>A second after the node was asked last it is asked again, for it knows whether this side may
 * still read the file; unless memory shows that this side has it open. So a side that loses a right
 * can read on for no longer than with a pin. Blocks are marked when they are read, or the node
 * would take them for unused and evict them first.
 *
 * <p>Safe for use by several threads: one lock, held for a few steps. Nothing to close.
 */
final class KnownBlocks {

  /**
   * For how long places are used where the right to do so cannot be seen. Less than a pin lasts.
   */
  static final long LASTING_NANOS = 1_000_000_000L;

  /** More blocks than this are not remembered. */
  private static final int MAX_BLOCKS = 1024;

  /** So many small reads must follow each other for it to pay that their blocks are pinned. */
  private static final int FEW = 2;

  private static final int MANY = 1 << 12;

  /**
   * A block and its version.
   *
   * @param end as far as the strand reaches as long as the version stays the same: a strand that is
   *     cut within a block withdraws it
   */
  private record Known(BlockPlace place, MemorySegment memory, long version, long end) {}

  /**
   * Blocks that are all where they were, as far as one look has shown.
   *
   * @param extents where they are
   */
  record Window(MappedSlabs slabs, List<Known> blocks, long blockBytes, PinnedExtents extents) {

    /**
     * Whether the node lives. To be asked once in a call, at any time before this side copies: if
     * another process takes the node's place after that, what it is given to write is written while
     * the call is under way.
     */
    boolean isThere() {
      BlockPlace any = blocks.getFirst().place;
      return slabs.isThere(any.slab(), any.generation());
    }

    /** Whether they have been there all the time since they were found. Asked after copying. */
    boolean isUnchanged() {
      VarHandle.acquireFence(); // what was copied was loaded before this
      for (Known one : blocks) {
        if (version(slabs, one.memory, one.place.offset(), blockBytes) != one.version) {
          return false;
        }
      }
      return true;
    }
  }

  // constant after construction
  private final long blockBytes;
  private final BooleanSupplier open;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Long, Known> blocks = new LinkedHashMap<>();
  private @Nullable MappedSlabs slabs;
  private long allowedNanos; // when this side had the right for certain

  // guarded by lock: whether it is worth while for small reads
  private long small;
  private int needed = FEW;
  private boolean pinned;
  private boolean served;

  // guarded by lock: the block that the strand was last asked to reach, and how often in a row
  private long questioned = -1;
  private long questions;

  /** {@code open}: whether it can be seen that this side still has the file open. */
  KnownBlocks(long blockBytes, BooleanSupplier open) {
    this.blockBytes = blockBytes;
    this.open = open;
  }

  /** Finds where blocks are; null if the node has to be asked. */
  @Nullable Window find(MappedSlabs of, List<WantedBlocks> wanted, long nowNanos) {
    List<Known> found = new ArrayList<>();
    PinnedExtents extents = new PinnedExtents();
    lock.lock();
    try {
      if (!mayUse(of, nowNanos)) {
        return null;
      }
      for (WantedBlocks run : wanted) {
        for (long block = run.first(); block < run.first() + run.count(); block++) {
          Known known = find(of, block);
          if (known == null) {
            return null;
          }
          found.add(known);
          extents.add(
              block * blockBytes, (block + 1) * blockBytes, known.memory, known.place.offset());
        }
      }
      served = true;
    } finally {
      lock.unlock();
    }
    return found.isEmpty() ? null : new Window(of, found, blockBytes, extents);
  }

  /** With the lock: whether places in that memory may be used. */
  private boolean mayUse(MappedSlabs of, long nowNanos) {
    if (of == slabs && nowNanos - allowedNanos > LASTING_NANOS && open.getAsBoolean()) {
      allowedNanos = nowNanos;
    }
    return of == slabs && nowNanos - allowedNanos <= LASTING_NANOS;
  }

  /** With the lock: a block that is where it was. */
  private @Nullable Known find(MappedSlabs of, long block) {
    Known known = blocks.get(block);
    if (known == null) {
      return null;
    }
    long at = BlockVersions.at(known.memory, known.place.offset() / blockBytes);
    if (of.word(known.memory, at) != known.version) {
      blocks.remove(block);
      return null;
    }
    BlockVersions.mark(known.memory, at);
    return known;
  }

  /**
   * Whether the strand is known to have {@code end} bytes, now. False if its node has to be asked.
   */
  boolean reaches(MappedSlabs of, long end, long nowNanos) {
    Known known;
    lock.lock();
    try {
      known = mayUse(of, nowNanos) ? find(of, (end - 1) / blockBytes) : null;
      if (known == null || known.end < end) {
        return false;
      }
      served = true;
      questions = 0;
    } finally {
      lock.unlock();
    }
    return of.isThere(known.place.slab(), known.place.generation());
  }

  /**
   * Whether a small read should go through pins, as large ones do: they cost more than a list, but
   * the next read of the same blocks needs no request. If that did not come about the last time,
   * more small reads must follow each other before it is tried again.
   */
  boolean isWorthPinning() {
    lock.lock();
    try {
      small++;
      return small > needed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether the node should be asked to pin the block of a byte rather than for the strand's end:
   * if it was asked about the same block the last time; and ever more rarely, if pinning it was of
   * no use.
   */
  boolean isAskedAgain(long end) {
    long block = (end - 1) / blockBytes;
    lock.lock();
    try {
      questions = block == questioned ? questions + 1 : 0;
      questioned = block;
      return Long.bitCount(questions) == 1;
    } finally {
      lock.unlock();
    }
  }

  /** With the lock: blocks have been pinned. */
  private void notePinned() {
    if (pinned && !served) {
      needed = Math.min(MANY, 2 * needed);
      small = 0;
    } else if (served) {
      needed = FEW;
    }
    pinned = true;
    served = false;
  }

  /**
   * Remembers blocks that are pinned for this side: their versions say so now, and will for as long
   * as they are there.
   *
   * @param places of the blocks, in their order
   * @param end where the strand ended when they were pinned
   */
  void note(
      MappedSlabs of, List<WantedBlocks> wanted, List<BlockPlace> places, long end, long nowNanos) {
    lock.lock();
    try {
      notePinned();
      allowedNanos = nowNanos;
      if (of != slabs) { // another life of the node
        blocks.clear();
        slabs = of;
      }
      int next = 0;
      for (WantedBlocks run : wanted) {
        long block = run.first();
        while (block < run.first() + run.count()) {
          BlockPlace place = places.get(next++);
          note(of, block, place, end);
          block += place.count();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void note(MappedSlabs of, long first, BlockPlace place, long end) {
    MemorySegment memory =
        place.slab() == BlockPlace.HOLE ? null : of.find(place.slab(), place.generation());
    for (int i = 0; i < place.count(); i++) {
      long offset = place.offset() + i * blockBytes;
      long version = memory == null ? 0 : version(of, memory, offset, blockBytes);
      blocks.remove(first + i);
      if (memory != null && BlockVersions.isPublished(version)) {
        var at = new BlockPlace(place.slab(), place.generation(), offset, 1);
        long reach = Math.min(end, (first + i + 1) * blockBytes);
        blocks.put(first + i, new Known(at, memory, version, reach));
      }
    }
    while (blocks.size() > MAX_BLOCKS) {
      blocks.remove(blocks.keySet().iterator().next());
    }
  }

  private static long version(MappedSlabs of, MemorySegment memory, long offset, long blockBytes) {
    return of.word(memory, BlockVersions.at(memory, offset / blockBytes));
  }
}
