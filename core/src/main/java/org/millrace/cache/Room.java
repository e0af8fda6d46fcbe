package org.millrace.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Finds frames for blocks that are absent: free memory first, then new memory up to the limit, then
 * the least recently used block's. Also changes the limit. Owned by the cache's lock; methods that
 * wait or let go of it say so.
 */
final class Room {

  /** How many of the oldest blocks are looked at for one that can go at once. */
  private static final int LOOKS = 64;

  /** A cache that holds this many frames already gets more of them ahead of need. */
  private static final int AHEAD_FROM = 256;

  private static final int AHEAD_FRAMES = 64;

  private final Books books;
  private final WriteBack writeBack;
  private boolean resizing;

  /** Threads that are just taking memory. */
  private int growing;

  Room(Books books, WriteBack writeBack) {
    this.books = books;
    this.writeBack = writeBack;
  }

  boolean isFree() {
    return books.slabs.free() > 0;
  }

  /**
   * Comes nearer to a free frame for the given block. Lets go of the lock and may wait, so the
   * caller looks again at everything.
   */
  void make(Strand strand, long block, long deadlineNanos) throws IOException {
    if (!isFree() && !grow()) {
      evict(strand, block, deadlineNanos);
    }
  }

  /**
   * Takes the next slab before it is missed, if blocks come and go at the disk's pace: fresh memory
   * is slow, and a disk thread has the time that a rank would have to wait. Called without the
   * lock.
   */
  void growAhead() {
    books.acquire();
    try {
      Slabs slabs = books.slabs;
      if (slabs.total() >= AHEAD_FROM && slabs.free() < AHEAD_FRAMES) {
        grow();
      }
    } finally {
      books.release();
    }
  }

  /** Takes more memory if that is allowed. Lets go of the lock meanwhile: fresh memory is slow. */
  private boolean grow() {
    if (!books.slabs.canGrow()) {
      return false;
    }
    int[] reserved = books.slabs.reserve();
    Slabs.Slab slab = null;
    growing++;
    books.release();
    try {
      slab = books.slabs.allocate(reserved);
    } finally {
      books.acquire();
      growing--;
      if (slab == null) {
        books.slabs.unreserve(reserved);
      } else {
        books.slabs.add(slab);
      }
      books.roomChanged.signalAll();
    }
    return true;
  }

  /**
   * Evicts the least recently used block that nobody is busy with, or waits for what keeps it from
   * going.
   */
  private void evict(@Nullable Strand strand, long block, long deadlineNanos) throws IOException {
    Frame victim = books.lru.oldest();
    while (victim != null && victim.isBusy()) {
      victim = books.lru.newerThan(victim);
    }
    if (victim == null) {
      books.await(books.roomChanged, deadlineNanos, strand, block, "free slot");
    } else if (isClean(victim)) {
      leave(victim);
    } else {
      try {
        writeBack.clean(victim, deadlineNanos);
      } catch (IOException e) {
        // What cannot be written stays; another block, if there is a clean one, goes in its place.
        Frame other = oldestClean(Integer.MAX_VALUE);
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

  private @Nullable Frame oldestClean(int looks) {
    Frame frame = books.lru.oldest();
    for (int i = 0; frame != null && i < looks; i++) {
      if (!frame.isBusy() && isClean(frame)) {
        return frame;
      }
      frame = books.lru.newerThan(frame);
    }
    return null;
  }

  private void leave(Frame frame) {
    Strand strand = frame.strand;
    if (strand != null) {
      books.counters.evictions++;
      books.drop(frame, strand);
    }
  }

  /**
   * Tries to have {@code frames} free ones with new memory only, and returns how many there are.
   * Lets go of the lock.
   */
  int tryEmpty(int frames) {
    while (books.slabs.free() < frames && grow()) {}
    return Math.min(frames, books.slabs.free());
  }

  /** As {@link #tryEmpty}, and by evicting old clean blocks. Never waits. Lets go of the lock. */
  int tryMake(int frames) {
    tryEmpty(frames);
    while (books.slabs.free() < frames) {
      Frame victim = oldestClean(LOOKS);
      // What was read ahead and not used yet would be read in vain.
      if (victim == null || victim.prefetched) {
        break;
      }
      leave(victim);
    }
    return Math.min(frames, books.slabs.free());
  }

  /** Changes the limit. Waits until memory beyond it is given back. */
  void setLimit(int blocks, long deadlineNanos) throws IOException {
    while (resizing) {
      books.await(books.roomChanged, deadlineNanos, null, 0, "turn");
    }
    resizing = true;
    try {
      if (blocks >= books.slabs.limit()) {
        books.slabs.raise(blocks);
      } else {
        shrink(blocks, deadlineNanos);
      }
    } finally {
      resizing = false;
      books.setDirtyMost();
      books.roomChanged.signalAll();
    }
  }

  private void shrink(int blocks, long deadlineNanos) throws IOException {
    boolean done = false;
    try {
      do {
        books.slabs.startShrinking(blocks);
        while (growing > 0) { // what is just being taken counts, and may have to go, too
          books.await(books.roomChanged, deadlineNanos, null, 0, "memory");
        }
        evacuate(deadlineNanos);
        books.slabs.finishShrinking();
      } while (books.slabs.total() > blocks);
      done = true;
    } finally {
      if (!done) {
        books.slabs.abandonShrinking();
      }
    }
  }

  /** Moves or evicts what the retiring slabs hold. Waits. */
  private void evacuate(long deadlineNanos) throws IOException {
    while (books.slabs.hasLeftOver()) {
      Frame frame = isFree() ? books.slabs.leftOver() : null;
      if (frame != null) {
        books.slabs.move(frame);
      } else if (isFree()) {
        books.await(books.roomChanged, deadlineNanos, null, 0, "end of use");
      } else {
        evict(null, 0, deadlineNanos);
      }
    }
  }
}
