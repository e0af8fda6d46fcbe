package org.millrace.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Finds frames for blocks that are not cached: free memory first, then new memory up to the limit,
 * then the memory of the least recently used block of any size. Also changes the limit.
 *
 * <p>Memory of blocks that left serves another size as soon as a slab of it is unused. A thread
 * that wants a large block needs much memory in one piece, which smaller blocks could take from
 * under its hands one by one; therefore they wait as long as a request for a larger one waits.
 *
 * <p>Owned by the cache's lock; methods that wait or let go of it say so.
 */
final class Evictor {

  /** How many of the oldest blocks are looked at for one that can go at once. */
  private static final int LOOKS = 64;

  /** A cache that holds so much already gets more ahead of need. */
  private static final long AHEAD_FROM_BYTES = 16 << 20;

  private static final long AHEAD_BYTES = 4 << 20;

  /** No size in particular. */
  private static final int ANY = -1;

  private final CacheState state;
  private final WriteBack writeBack;
  private boolean resizing;

  /** Threads that are just taking memory. */
  private int growing;

  /** Threads that are evicting for a block of each size. */
  private final int[] making = new int[Slabs.SIZES];

  /** Threads that let others pass, which want larger blocks. */
  private int lettingPass;

  Evictor(CacheState state, WriteBack writeBack) {
    this.state = state;
    this.writeBack = writeBack;
  }

  boolean isFree(Strand strand, int frames) {
    return state.slabs.free(strand) >= frames;
  }

  /**
   * Makes room for the given block and, as far as nobody must be waited for, for the ones behind
   * it: {@code frames} in all. Returns how many of these frames are free, or 1 if the block need
   * not come any more.
   *
   * <p>This is the one loop in which an access evicts. A step may release the lock and wait: for
   * memory, for a dirty block's write, for threads that are busy with the oldest blocks. What it
   * made free another thread may take before this one runs again, so the loop goes on until there
   * is a frame, until the block is there, brought by another thread, or until its strand is closed.
   * It ends: each step frees a frame, waits for a change, or fails at the deadline. The caller
   * looks again at everything, and asks for no more than was found, so that it does not evict in
   * vain.
   */
  int make(Strand strand, long block, int frames, long deadlineNanos) throws IOException {
    while (!isFree(strand, 1) && strand.open && state.find(strand, block) == null) {
      makeAnother(strand, block, deadlineNanos);
    }
    return Math.max(1, frames == 1 ? 1 : tryMake(strand, frames));
  }

  /**
   * A step towards one more free frame: frees it, or waits for what keeps it. Lets go of the lock,
   * so the caller looks again at everything.
   */
  void makeAnother(Strand strand, long block, long deadlineNanos) throws IOException {
    if (isMadeForLarger(strand.shift)) {
      letLargerPass(strand, block, deadlineNanos);
    } else {
      makeOne(strand, block, deadlineNanos);
    }
  }

  private void makeOne(Strand strand, long block, long deadlineNanos) throws IOException {
    making[strand.shift]++;
    try {
      if (!grow(strand.shift)) {
        evict(ANY, strand, block, deadlineNanos);
      }
    } finally {
      making[strand.shift]--;
      if (lettingPass > 0) {
        state.spaceFreed.signalAll();
      }
    }
  }

  private void letLargerPass(Strand strand, long block, long deadlineNanos) throws IOException {
    lettingPass++;
    try {
      state.await(state.spaceFreed, deadlineNanos, strand, block, "free slot");
    } finally {
      lettingPass--;
    }
  }

  private boolean isMadeForLarger(int shift) {
    for (int larger = shift + 1; larger < making.length; larger++) {
      if (making[larger] > 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes the next slab before it is missed, if blocks come and go at the disk's pace: fresh memory
   * is slow, and a disk thread has the time that a rank would have to wait. Called without the
   * lock.
   */
  void growAhead() {
    state.acquire();
    try {
      Slabs slabs = state.slabs;
      for (int shift = 0; shift < Slabs.SIZES; shift++) {
        if (slabs.has(shift)
            && slabs.totalBytes() >= AHEAD_FROM_BYTES
            && (long) slabs.free(shift) << shift < AHEAD_BYTES
            && slabs.canGrow(shift)) {
          tryGrow(shift);
        }
      }
    } finally {
      state.release();
    }
  }

  /**
   * Takes more memory if that is allowed, or if other sizes can do without theirs. Lets go of the
   * lock meanwhile: fresh memory is slow.
   */
  private boolean grow(int shift) {
    if (!state.slabs.reclaim(shift)) {
      return false;
    }
    Slabs.Reservation reserved = state.slabs.reserve(shift);
    Slabs.Slab slab = null;
    growing++;
    state.release();
    try {
      slab = state.slabs.allocate(reserved);
    } finally {
      state.acquire();
      growing--;
      if (slab == null) {
        state.slabs.unreserve(reserved);
      } else {
        state.slabs.add(slab);
      }
      state.spaceFreed.signalAll();
    }
    return true;
  }

  /**
   * Evicts the least recently used block of a size, or of any, that nobody is busy with, or waits
   * for what keeps it from going.
   */
  private void evict(int shift, @Nullable Strand strand, long block, long deadlineNanos)
      throws IOException {
    Frame victim = oldest(Integer.MAX_VALUE, shift, false);
    if (victim == null) {
      state.await(state.spaceFreed, deadlineNanos, strand, block, "free slot");
    } else if (isClean(victim)) {
      leave(victim);
    } else {
      try {
        writeBack.clean(victim, deadlineNanos);
      } catch (IOException e) {
        // What cannot be written stays; another block, if there is a clean one, goes in its place.
        Frame other = oldest(Integer.MAX_VALUE, shift, true);
        if (other == null) {
          throw e;
        }
        leave(other);
      }
    }
  }

  private static boolean isClean(Frame frame) {
    return !frame.isDirty() && frame.run == null;
  }

  private static boolean isOfSize(Frame frame, int shift) {
    return shift == ANY || frame.bytes == 1 << shift;
  }

  /**
   * The block of a size, or of any, that was used longest ago, nobody is busy with and, if asked
   * for, is clean: of the oldest so many. A block that another process has read without asking was
   * used, too: it gets another turn, unless all are like that.
   */
  private @Nullable Frame oldest(int looks, int shift, boolean clean) {
    Frame passed = null;
    int passes = LOOKS; // fewer than uses that the list only notes, so that the order stays
    Frame frame = state.lru.oldest();
    for (int i = 0; frame != null && i < looks; i++) {
      if (!frame.isBusy() && isOfSize(frame, shift) && (!clean || isClean(frame))) {
        if (passes == 0 || !frame.slab.takeMark(frame.index)) {
          return frame;
        }
        passes--;
        passed = passed == null ? frame : passed;
        state.lru.touch(frame);
      }
      frame = state.lru.newerThan(frame);
    }
    return passed;
  }

  private void leave(Frame frame) {
    Strand strand = frame.strand;
    if (strand != null) {
      state.counters.evictions++;
      state.drop(frame, strand);
    }
  }

  /**
   * Tries to have {@code frames} free ones with new memory only, and returns how many there are.
   * Lets go of the lock.
   */
  int tryEmpty(Strand strand, int frames) {
    while (state.slabs.free(strand) < frames && tryGrow(strand.shift)) {}
    return Math.min(frames, state.slabs.free(strand));
  }

  private boolean tryGrow(int shift) {
    return !isMadeForLarger(shift) && grow(shift);
  }

  /** As {@link #tryEmpty}, and by evicting old clean blocks. Never waits. Lets go of the lock. */
  int tryMake(Strand strand, int frames) {
    while (tryEmpty(strand, frames) < frames && !isMadeForLarger(strand.shift)) {
      Frame victim = oldest(LOOKS, ANY, true);
      // Evicting a prefetched block that was not used yet would waste its read.
      if (victim == null || victim.prefetched) {
        break;
      }
      leave(victim);
    }
    return Math.min(frames, state.slabs.free(strand));
  }

  /** Changes the limit. Waits until memory beyond it is given back. */
  void setLimit(long bytes, long deadlineNanos) throws IOException {
    while (resizing) {
      state.await(state.spaceFreed, deadlineNanos, null, 0, "turn");
    }
    resizing = true;
    try {
      if (bytes >= state.slabs.limitBytes()) {
        state.slabs.raise(bytes);
      } else {
        shrink(bytes, deadlineNanos);
      }
    } finally {
      resizing = false;
      state.setMaxDirtyBytes();
      state.spaceFreed.signalAll();
    }
  }

  private void shrink(long bytes, long deadlineNanos) throws IOException {
    boolean done = false;
    try {
      do {
        state.slabs.startShrinking(bytes);
        while (growing > 0) { // what is just being taken counts, and may have to go, too
          state.await(state.spaceFreed, deadlineNanos, null, 0, "memory");
        }
        evacuate(deadlineNanos);
        state.slabs.finishShrinking();
      } while (!state.slabs.isAsSmallAsPossible(bytes));
      done = true;
    } finally {
      if (!done) {
        state.slabs.abandonShrinking();
      }
    }
  }

  /** Moves or evicts what the retiring slabs hold. Waits. */
  private void evacuate(long deadlineNanos) throws IOException {
    for (int shift = state.slabs.leftOver(); shift >= 0; shift = state.slabs.leftOver()) {
      state.strands.forEach(Strand::recallKept);
      Frame frame = state.slabs.movable();
      if (frame != null) {
        state.slabs.move(frame);
      } else if (state.slabs.free(shift) > 0) {
        state.await(state.spaceFreed, deadlineNanos, null, 0, "end of use");
      } else {
        evict(shift, null, 0, deadlineNanos);
      }
    }
  }
}
