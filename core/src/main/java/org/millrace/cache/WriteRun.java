package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockChanges;
import org.millrace.env.Work;
import org.millrace.error.MillraceException;

/**
 * Writes adjacent dirty blocks back with one transfer. The frames are marked clean and then copied
 * to staging memory while others may read and write them: a writer makes the block dirty again, so
 * a torn copy is written once more. If the transfer fails, the frames are dirty as before.
 *
 * <p>The fields of the outcome are owned by the cache's lock.
 */
final class WriteRun implements DiskQueue.Job {

  // Constant after construction.
  private final CacheState state;
  private final Strand strand;
  private final Frame[] frames;
  private final WriteBack owner;
  private final boolean background;
  private final long[] stamps;
  private final int[] dirtyFrom;
  private final int[] dirtyTo;

  /** Which bytes of each block change. Owned by the thread that runs. */
  private final BlockChanges[] changes;

  // Guarded by the cache's lock.
  private int count;
  private boolean done;

  /** Where the strand ended when the frames were marked clean. Owned by the thread that runs. */
  private long stagedEnd;

  private @Nullable MillraceException error;

  WriteRun(
      CacheState state, WriteBack owner, Strand strand, boolean background, List<Frame> frames) {
    this.state = state;
    this.owner = owner;
    this.strand = strand;
    this.background = background;
    this.frames = frames.toArray(Frame[]::new);
    count = this.frames.length;
    stamps = new long[count];
    dirtyFrom = new int[count];
    dirtyTo = new int[count];
    changes = new BlockChanges[count];
    for (Frame frame : frames) {
      frame.run = this;
    }
    strand.writes++;
  }

  boolean isDone() {
    return done;
  }

  @Nullable MillraceException error() {
    return error;
  }

  /** One past the last block that it wrote; the first block if it wrote none. */
  long end() {
    return frames[0].block + count;
  }

  boolean isBackground() {
    return background;
  }

  @Override
  public long stagingBytes() {
    return (long) frames.length << strand.shift;
  }

  @Override
  public void run(MemorySegment staging) {
    MillraceException failure = null;
    boolean staged = false;
    try {
      complete(staging);
      int blocks = stage();
      staged = true;
      if (blocks > 0) {
        for (int i = 0; i < blocks; i++) {
          MemorySegment.copy(
              frames[i].memory, 0, staging, (long) i << strand.shift, frames[i].bytes);
        }
        long bytes = (long) blocks << strand.shift;
        long reached = Math.max(0, stagedEnd - (frames[0].block << strand.shift));
        if (reached < bytes) { // another process may just be writing there
          staging.asSlice(reached, bytes - reached).fill((byte) 0);
        }
        state.env.charge(Work.COPY, bytes);
        state.env.charge(Work.CHECKSUM, bytes);
        strand.store.write(frames[0].block, staging.asSlice(0, bytes), changesWithin(blocks));
      }
    } catch (Exception | Error e) {
      failure = Load.failure(e, strand);
    }
    state.acquire();
    try {
      finish(failure, staged);
    } finally {
      state.release();
    }
  }

  /**
   * Completes frames that hold a part of their block. One that a thread is writing now, or whose
   * rest cannot be read, ends the run before it; if it is the first, the run fails or writes
   * nothing.
   */
  private void complete(MemorySegment staging) throws MillraceException {
    int from = 0;
    int max = frames.length;
    while (true) {
      Load load = nextLoad(from, max);
      if (load == null) {
        return;
      }
      load.run(staging);
      MillraceException failure = load.error();
      from = (int) (load.firstFrame().block - frames[0].block);
      if (failure == null) {
        from += load.blocks();
        max = frames.length;
      } else if (load.blocks() > 1) {
        max = 1;
      } else if (from > 0) {
        cut(from);
        return;
      } else {
        throw failure;
      }
    }
  }

  /** The load of the next frames, at most {@code max}, that need one; null if no frame does. */
  private @Nullable Load nextLoad(int from, int max) {
    state.acquire();
    try {
      for (int i = from; i < count; i++) {
        Frame frame = frames[i];
        if (frame.isFull()) {
          continue;
        }
        if (frame.exclusive) {
          count = i;
        } else if (frame.block >= strand.storedBlocks) {
          frame.fillRest(null);
        } else {
          int to = i + 1;
          while (to < count && to - i < max && needsLoad(frames[to])) {
            to++;
          }
          return new Load(state, strand, Arrays.copyOfRange(frames, i, to));
        }
      }
      return null;
    } finally {
      state.release();
    }
  }

  private boolean needsLoad(Frame frame) {
    return !frame.isFull() && !frame.exclusive && frame.block < strand.storedBlocks;
  }

  private void cut(int blocks) {
    state.acquire();
    count = blocks;
    state.release();
  }

  /** Marks the frames clean, just before they are copied. */
  private int stage() {
    state.acquire();
    try {
      for (int i = 0; i < count; i++) {
        Frame frame = frames[i];
        stamps[i] = frame.dirtyStamp;
        dirtyFrom[i] = frame.dirtyFrom;
        dirtyTo[i] = frame.dirtyTo;
        changes[i] = frame.changes == null ? BlockChanges.all() : frame.changes;
        state.markClean(frame, strand);
      }
      strand.storedBlocks = Math.max(strand.storedBlocks, frames[0].block + count);
      strand.changes++;
      stagedEnd = strand.end;
      return count;
    } finally {
      state.release();
    }
  }

  /**
   * Which bytes of the copies may differ from what the store has: those that were dirty, and those
   * that others wrote while the copies were made.
   */
  private List<BlockChanges> changesWithin(int blocks) {
    List<BlockChanges> all = new ArrayList<>(blocks);
    state.acquire();
    try {
      for (int i = 0; i < blocks; i++) {
        Frame frame = frames[i];
        long end = stagedEnd - (frame.block << strand.shift);
        BlockChanges known = changes[i].within(Math.clamp(end, 0, frame.bytes));
        all.add(frame.isBeingWritten() ? BlockChanges.all() : known.and(frame.changes));
      }
    } finally {
      state.release();
    }
    return all;
  }

  private void finish(@Nullable MillraceException failure, boolean staged) {
    done = true;
    error = failure;
    strand.writes--;
    if (failure != null) {
      strand.failed = true;
      state.counters.failedWrites++;
      for (int i = 0; staged && i < count; i++) {
        state.markDirty(frames[i], strand, dirtyFrom[i], dirtyTo[i]);
        frames[i].dirtyStamp = Math.min(frames[i].dirtyStamp, stamps[i]);
      }
    } else if (count > 0) {
      strand.failed = false;
      state.counters.writes++;
      state.counters.bytesWritten += (long) count << strand.shift;
    }
    for (Frame frame : frames) {
      frame.run = null;
      state.wake(frame);
    }
    strand.changed.signalAll();
    owner.onRunEnded(this);
  }
}
