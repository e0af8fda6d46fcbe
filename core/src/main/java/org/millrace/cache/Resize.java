package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Truncates and closes strands, and makes other calls of their stores. To truncate, the store is
 * truncated first, with the gate closed so that no other call reaches it; then the frames and the
 * end follow in one critical section. Until then others see the strand as before, so a failure
 * leaves it unchanged.
 *
 * <p>Owned by the cache's lock; every method waits.
 */
final class Resize {

  private final CacheState state;
  private final DiskQueue queue;
  private final WriteBack writeBack;
  private final BlockAccess access;

  Resize(CacheState state, DiskQueue queue, WriteBack writeBack, BlockAccess access) {
    this.state = state;
    this.queue = queue;
    this.writeBack = writeBack;
    this.access = access;
  }

  /** Cuts the strand. The caller holds the range from {@code end} on. */
  void cut(Strand strand, long end, long deadlineNanos) throws IOException {
    while (!tryCut(strand, end, deadlineNanos)) {}
  }

  /**
   * False if a hole that the end cuts was written, and written back, before the gate was closed.
   */
  private boolean tryCut(Strand strand, long end, long deadlineNanos) throws IOException {
    long block = end >>> strand.shift;
    int in = (int) (end & strand.mask);
    Frame kept = null;
    if (in != 0) {
      // The whole of it, so that nothing is lost if the store has it with the tail cut and then
      // fails.
      kept = access.reading(strand, block, 0, strand.blockBytes(), false, block, deadlineNanos);
    }
    if (kept != null) {
      kept.claims++;
    }
    try {
      hold(strand, deadlineNanos);
      try {
        strand.checkOpen(); // it may have been detached while this waited
        if (in != 0 && kept == null && block < strand.storedBlocks) {
          return false; // the store would cut bytes that their checksum covers
        }
        cutStore(strand, end, kept, deadlineNanos);
        awaitIdle(strand, in == 0 ? block : block + 1, deadlineNanos);
        cutFrames(strand, end, block, in);
        return true;
      } finally {
        strand.openGate();
      }
    } finally {
      if (kept != null && --kept.claims == 0) {
        state.wake(kept);
      }
    }
  }

  /** Closes the gate wholly and waits until no call of the store is under way. */
  void hold(Strand strand, long deadlineNanos) throws IOException {
    writeBack.holdWrites(strand, deadlineNanos);
    strand.loadsHeld = true;
    try {
      while (strand.loads > 0) {
        state.await(strand.changed, deadlineNanos, strand, 0, "end of loads");
      }
    } catch (IOException e) {
      strand.openGate();
      throw e;
    }
  }

  private void cutStore(Strand strand, long end, @Nullable Frame kept, long deadlineNanos)
      throws IOException {
    strand.changes++;
    strand.store.modified(strand.modified);
    int in = (int) (end & strand.mask);
    boolean rewrite = kept != null && kept.block < strand.storedBlocks;
    try {
      StoreCall.make(
          state,
          queue,
          strand,
          deadlineNanos,
          "resize",
          staging -> {
            if (rewrite && kept != null) {
              MemorySegment whole = staging.asSlice(0, strand.blockBytes());
              MemorySegment.copy(kept.memory, 0, whole, 0, in);
              whole.asSlice(in).fill((byte) 0);
              strand.store.write(kept.block, whole);
            }
            strand.store.resize(end);
          });
    } catch (IOException e) {
      if (rewrite && kept != null) {
        state.markDirty(kept, strand, 0, strand.blockBytes());
      }
      throw e;
    }
  }

  /**
   * Waits until nobody is busy with a frame from {@code block} on, nor copies the one before, which
   * may be cut.
   */
  void awaitIdle(Strand strand, long block, long deadlineNanos) throws IOException {
    strand.recallKept();
    for (Frame busy = busy(strand, block); busy != null; busy = busy(strand, block)) {
      state.await(busy.changed, deadlineNanos, strand, busy.block, "end of use");
      strand.recallKept();
    }
  }

  private static @Nullable Frame busy(Strand strand, long block) {
    for (Frame frame = strand.frames.first(); frame != null; frame = strand.frames.after(frame)) {
      boolean copying = frame.exclusive || frame.readers > 0 || frame.pins > 0;
      if (frame.block >= block ? frame.isBusy() : copying && frame.block == block - 1) {
        return frame;
      }
    }
    return null;
  }

  private void cutFrames(Strand strand, long end, long block, int in) {
    dropFrom(strand, in == 0 ? block : block + 1);
    Frame frame = in == 0 ? null : state.table.find(strand, block);
    if (frame != null) {
      frame.slab.withdraw(frame.index); // it no longer says that the strand reaches so far
      int from = Math.max(in, frame.validFrom);
      if (from < frame.validTo) {
        frame.memory.asSlice(from, frame.validTo - from).fill((byte) 0);
      }
    }
    strand.end = end;
    strand.storedBlocks = Math.min(strand.storedBlocks, strand.blocksOf(end));
    strand.forgetSequences();
  }

  /** Drops the idle frames from {@code block} on, dirty or not. */
  void dropFrom(Strand strand, long block) {
    Frame frame = strand.frames.first();
    while (frame != null) {
      Frame next = strand.frames.after(frame);
      if (frame.block >= block) {
        state.drop(frame, strand);
      }
      frame = next;
    }
  }

  /** Preallocates space in the store. */
  void preallocate(Strand strand, long end, long deadlineNanos) throws IOException {
    writeBack.holdWrites(strand, deadlineNanos);
    try {
      strand.checkOpen();
      strand.changes++;
      StoreCall.make(
          state,
          queue,
          strand,
          deadlineNanos,
          "preallocation",
          staging -> strand.store.preallocate(end));
    } finally {
      strand.openGate();
    }
  }

  /** The first block from {@code block} on that the store holds; beyond all of them if none is. */
  long nextStored(Strand strand, long block, long deadlineNanos) throws IOException {
    writeBack.holdWrites(strand, deadlineNanos);
    try {
      strand.checkOpen();
      long before = strand.storedBlocks;
      long[] found = {Math.max(block, before)};
      if (block < before) {
        StoreCall.make(
            state,
            queue,
            strand,
            deadlineNanos,
            "search for data",
            staging -> found[0] = strand.store.nextWritten(block, before));
      }
      return found[0] < before ? found[0] : Long.MAX_VALUE;
    } finally {
      strand.openGate();
    }
  }

  /** Ends the use of an open strand; if that fails it is open again. */
  void detach(Strand strand, boolean discard, long deadlineNanos) throws IOException {
    strand.open = false;
    boolean done = false;
    try {
      do {
        if (!discard) {
          writeBack.flush(strand, deadlineNanos);
        }
        hold(strand, deadlineNanos);
        try {
          awaitIdle(strand, 0, deadlineNanos);
          // Writes that were under way when the strand closed may have come after the flush.
          done = discard || strand.dirty.size() == 0 && !strand.isUnflushed();
          if (done) {
            dropFrom(strand, 0);
            state.strands.remove(strand);
            state.stores.remove(strand.store);
          }
        } finally {
          strand.openGate();
        }
      } while (!done);
    } finally {
      strand.open = !done;
    }
  }
}
