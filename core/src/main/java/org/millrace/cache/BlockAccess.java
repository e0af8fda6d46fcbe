package org.millrace.cache;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Signal;
import org.millrace.error.MillraceException;

/**
 * Brings a block into the state that an access needs, and waits as long as necessary: the slow
 * path, for blocks that are not ready. Owned by the cache's lock, which every method here releases
 * and takes again; results are valid until the caller releases the lock.
 */
final class BlockAccess {

  private final CacheState state;
  private final Evictor evictor;
  private final ReadAhead readAhead;

  BlockAccess(CacheState state, Evictor evictor, ReadAhead readAhead) {
    this.state = state;
    this.evictor = evictor;
    this.readAhead = readAhead;
  }

  /**
   * The frame of a block whose bytes [from, to) can be copied out now; null if the block is a hole.
   * The request goes on to {@code lastBlock}, so that its blocks can be loaded together. {@code
   * large} if the copy is made outside the lock: then it lets writers pass that wait already.
   */
  @Nullable Frame reading(
      Strand strand,
      long block,
      int from,
      int to,
      boolean large,
      long lastBlock,
      long deadlineNanos)
      throws IOException {
    Objects.checkFromToIndex(from, to, strand.blockBytes());
    boolean single = false;
    int max = Integer.MAX_VALUE;
    boolean waited = false;
    while (true) {
      strand.checkOpen();
      Frame frame = state.find(strand, block);
      if (frame == null) {
        if (block >= strand.storedBlocks) {
          return null;
        }
        int want = single ? 1 : Math.min(max, readAhead.wanted(strand, block, lastBlock));
        Sweep sweep = readAhead.bringing(strand, block);
        if (sweep != null) {
          waited = true;
          sweep.await(block, deadlineNanos);
        } else if (strand.loadsHeld) {
          await(strand.changed, strand, block, deadlineNanos);
        } else if (!evictor.isFree(strand, want)) {
          max = evictor.make(strand, block, want, deadlineNanos);
        } else {
          waited = true;
          state.counters.misses++;
          single |= !load(strand, block, want, deadlineNanos);
        }
      } else if (frame.exclusive || (large && frame.writersWaiting > 0)) {
        await(frame.changed, strand, block, deadlineNanos);
      } else if (frame.covers(from, to)) {
        if (!frame.prefetched) {
          state.lru.touch(frame);
          state.counters.hits += waited ? 0 : 1;
          return frame;
        }
        firstUse(frame, strand);
      } else {
        waited = true;
        single |= !complete(frame, strand, deadlineNanos);
      }
    }
  }

  /**
   * Loads absent blocks and, if that looks sequential, more; waits for the first only. False if it
   * failed.
   */
  private boolean load(Strand strand, long block, int want, long deadlineNanos) throws IOException {
    Load load = readAhead.start(strand, block, want, false);
    Frame frame = load.firstFrame();
    frame.claims++;
    try {
      readAhead.onMiss(strand, block, block + load.blocks());
    } finally {
      unclaim(frame);
    }
    return await(load, frame, strand, deadlineNanos);
  }

  /**
   * Brings the blocks {@code [first, to)} from the store, as far as it holds them and they are not
   * here: neighbours in one transfer, one transfer after the other, and nothing else.
   */
  void bring(Strand strand, long first, long to, long deadlineNanos) throws IOException {
    boolean single = false;
    int max = Integer.MAX_VALUE;
    long block = first;
    while (block < to) {
      strand.checkOpen();
      Frame frame = state.find(strand, block);
      if (block >= strand.storedBlocks || (frame != null && frame.isFull())) {
        block++;
      } else if (frame == null) {
        int want = single ? 1 : Math.min(max, readAhead.wanted(strand, block, to - 1));
        if (strand.loadsHeld) {
          await(strand.changed, strand, block, deadlineNanos);
        } else if (!evictor.isFree(strand, want)) {
          max = evictor.make(strand, block, want, deadlineNanos);
        } else {
          state.counters.misses++;
          Load load = readAhead.start(strand, block, want, false);
          single |= !await(load, load.firstFrame(), strand, deadlineNanos);
        }
      } else if (frame.exclusive) {
        await(frame.changed, strand, block, deadlineNanos);
      } else {
        single |= !complete(frame, strand, deadlineNanos);
      }
    }
  }

  private void firstUse(Frame frame, Strand strand) {
    frame.claims++;
    try {
      readAhead.onFirstUse(frame, strand);
    } finally {
      unclaim(frame);
    }
  }

  /**
   * Comes nearer to a frame that holds its whole block. False if a load failed that other blocks
   * were part of.
   */
  private boolean complete(Frame frame, Strand strand, long deadlineNanos) throws IOException {
    Load load = frame.load;
    if (load == null) {
      if (frame.block >= strand.storedBlocks) {
        frame.fillRest(null);
        return true;
      }
      if (strand.loadsHeld || frame.run != null) {
        await(strand.changed, strand, frame.block, deadlineNanos);
        return true;
      }
      load = readAhead.start(strand, frame);
    }
    return await(load, frame, strand, deadlineNanos);
  }

  /**
   * Waits for the load of a frame, which stays until this thread runs again. False if others'
   * blocks may be to blame.
   */
  private boolean await(Load load, Frame frame, Strand strand, long deadlineNanos)
      throws IOException {
    frame.claims++;
    try {
      while (!load.isDone()) {
        await(frame.changed, strand, frame.block, deadlineNanos);
      }
    } finally {
      unclaim(frame);
    }
    MillraceException error = load.error();
    if (error != null && load.blocks() == 1) {
      throw error.again();
    }
    return error == null;
  }

  private void unclaim(Frame frame) {
    if (--frame.claims == 0) {
      state.wake(frame);
    }
  }

  private void await(Signal signal, Strand strand, long block, long deadlineNanos)
      throws IOException {
    state.await(signal, deadlineNanos, strand, block, "answer of the disk or other accesses");
  }

  /**
   * The frame of a block into which [from, to) can be copied now. If {@code gaps}, not all bytes of
   * that range will be written, so those that are there must be right. {@code large} if the copy is
   * made outside the lock.
   */
  Frame writing(
      Strand strand,
      long block,
      int from,
      int to,
      boolean gaps,
      boolean large,
      long lastBlock,
      long deadlineNanos)
      throws IOException {
    Objects.checkFromToIndex(from, to, strand.blockBytes());
    boolean single = false;
    int max = Integer.MAX_VALUE;
    boolean waited = false;
    while (true) {
      strand.checkOpen();
      Frame frame = state.find(strand, block);
      boolean loads = gaps && block < strand.storedBlocks;
      if (frame == null) {
        int want = loads && !single ? Math.min(max, readAhead.wanted(strand, block, lastBlock)) : 1;
        if (loads && strand.loadsHeld) {
          await(strand.changed, strand, block, deadlineNanos);
        } else if (!evictor.isFree(strand, want)) {
          max = evictor.make(strand, block, want, deadlineNanos);
        } else {
          waited = true;
          state.counters.misses++;
          if (loads) {
            single |= !load(strand, block, want, deadlineNanos);
          } else {
            // Goes on below in the same breath.
            state.take(strand, block);
          }
        }
      } else if (frame.exclusive || frame.readers > 0) {
        awaitReaders(frame, strand, deadlineNanos);
      } else if (canWrite(frame, from, to, gaps, large)) {
        state.lru.touch(frame);
        state.counters.hits += waited ? 0 : 1;
        return frame;
      } else {
        waited = true;
        single |= !complete(frame, strand, deadlineNanos);
      }
    }
  }

  /**
   * Whether a frame without pins is fit for this write. A load of it must not meet bytes that are
   * half copied.
   */
  static boolean canWrite(Frame frame, int from, int to, boolean gaps, boolean large) {
    if (frame.load != null && (large || frame.isEmpty())) {
      return false;
    }
    return gaps ? frame.covers(from, to) : frame.touches(from, to);
  }

  private void awaitReaders(Frame frame, Strand strand, long deadlineNanos) throws IOException {
    frame.writersWaiting++;
    try {
      await(frame.changed, strand, frame.block, deadlineNanos);
    } finally {
      if (--frame.writersWaiting == 0) {
        frame.changed.signalAll();
      }
    }
  }
}
