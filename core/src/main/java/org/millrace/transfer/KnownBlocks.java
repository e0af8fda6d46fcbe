package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
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
 * <p>A place is used for a second at most. Then the node is asked again: it checks whether this
 * side may still read the file, and learns which blocks are in use, which it would otherwise evict
 * first. So a side that loses a right can read on for no longer than with a pin.
 *
 * <p>Safe for use by several threads: one lock, held for a few steps. Nothing to close.
 */
final class KnownBlocks {

  /** For how long a place is used. Less than a pin lasts. */
  static final long LASTING_NANOS = 1_000_000_000L;

  /** More blocks than this are not remembered. */
  private static final int MAX_BLOCKS = 1024;

  /** A block and its version. */
  private record Known(BlockPlace place, MemorySegment memory, long version, long sinceNanos) {}

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
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Long, Known> blocks = new LinkedHashMap<>();
  private @Nullable MappedSlabs slabs;

  KnownBlocks(long blockBytes) {
    this.blockBytes = blockBytes;
  }

  /** Finds where blocks are; null if the node has to be asked. */
  @Nullable Window find(MappedSlabs of, List<WantedBlocks> wanted, long nowNanos) {
    List<Known> found = new ArrayList<>();
    PinnedExtents extents = new PinnedExtents();
    lock.lock();
    try {
      if (of != slabs) {
        return null;
      }
      for (WantedBlocks run : wanted) {
        for (long block = run.first(); block < run.first() + run.count(); block++) {
          Known known = blocks.get(block);
          if (known == null) {
            return null;
          }
          long offset = known.place.offset();
          if (nowNanos - known.sinceNanos > LASTING_NANOS
              || version(of, known.memory, offset, blockBytes) != known.version) {
            blocks.remove(block);
            return null;
          }
          found.add(known);
          extents.add(block * blockBytes, (block + 1) * blockBytes, known.memory, offset);
        }
      }
    } finally {
      lock.unlock();
    }
    return found.isEmpty() ? null : new Window(of, found, blockBytes, extents);
  }

  /**
   * Remembers blocks that are pinned for this side: their versions say so now, and will for as long
   * as they are there.
   *
   * @param places of the blocks, in their order
   */
  void note(MappedSlabs of, List<WantedBlocks> wanted, List<BlockPlace> places, long nowNanos) {
    lock.lock();
    try {
      if (of != slabs) { // another life of the node
        blocks.clear();
        slabs = of;
      }
      int next = 0;
      for (WantedBlocks run : wanted) {
        long block = run.first();
        while (block < run.first() + run.count()) {
          BlockPlace place = places.get(next++);
          note(of, block, place, nowNanos);
          block += place.count();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void note(MappedSlabs of, long first, BlockPlace place, long nowNanos) {
    MemorySegment memory =
        place.slab() == BlockPlace.HOLE ? null : of.find(place.slab(), place.generation());
    for (int i = 0; i < place.count(); i++) {
      long offset = place.offset() + i * blockBytes;
      long version = memory == null ? 0 : version(of, memory, offset, blockBytes);
      blocks.remove(first + i);
      if (memory != null && BlockVersions.isPublished(version)) {
        var at = new BlockPlace(place.slab(), place.generation(), offset, 1);
        blocks.put(first + i, new Known(at, memory, version, nowNanos));
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
