package org.millrace.cache;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Signal;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;

/**
 * Decides which blocks are written back, and when: in the background while too much is dirty, the
 * neighbours of a block that is evicted, and all blocks of a flush in ascending order. Owned by the
 * cache's lock; methods that wait say so.
 */
final class WriteBack {

  /** How many of the longest dirty blocks are looked at for one that can be written now. */
  private static final int LOOKS = 16;

  private final CacheState state;
  private final DiskQueue queue;
  private int background;

  WriteBack(CacheState state, DiskQueue queue) {
    this.state = state;
    this.queue = queue;
  }

  /**
   * Starts write-back in the background as long as too much is dirty and the disk threads are not
   * busy with it.
   */
  void behind() {
    while (background < 2 * state.options.diskThreads() && state.isTooDirty()) {
      Frame frame = longestDirty();
      if (frame == null) {
        return;
      }
      start(frame, true, 0, Long.MAX_VALUE);
      background++;
    }
  }

  /**
   * Starts to write the dirty blocks of {@code [first, to)} that are whole, neighbours in one
   * transfer, as far as nothing has to be waited for.
   */
  void begin(Strand strand, long first, long to) {
    for (long block = first; block < to && !queue.isFull() && !strand.failed; block++) {
      Frame frame = state.table.find(strand, block);
      if (frame != null && frame.isFull() && isReady(frame, strand)) {
        WriteRun _ = start(frame, false, first, to);
      }
    }
  }

  private @Nullable Frame longestDirty() {
    Frame frame = state.dirty.first();
    for (int i = 0; frame != null && i < LOOKS; i++) {
      Strand strand = frame.strand;
      if (strand != null && !strand.failed && isReady(frame, strand)) {
        return frame;
      }
      frame = state.dirty.after(frame);
    }
    return null;
  }

  void onRunEnded(WriteRun run) {
    if (run.isBackground()) {
      background--;
      behind();
    }
  }

  /** Whether write-back of this frame can start now. */
  private static boolean isReady(Frame frame, Strand strand) {
    return frame.isDirty()
        && frame.run == null
        && frame.load == null
        && !strand.writesHeld
        && (frame.isFull() || !frame.exclusive);
  }

  /** Starts to write a ready frame together with its dirty neighbours in {@code [least, end)}. */
  private WriteRun start(Frame frame, boolean inBackground, long min, long end) {
    Strand strand = strandOf(frame);
    int max = strand.blocksIn(state.options.runBytes());
    List<Frame> frames = new ArrayList<>(max);
    frames.add(frame);
    // To the left only whole ones: the first of a run must not fail because of a rest that cannot
    // be read.
    for (long block = frame.block - 1; block >= min && frames.size() < max; block--) {
      Frame left = state.table.find(strand, block);
      if (left == null || !left.isFull() || !isReady(left, strand)) {
        break;
      }
      frames.add(left);
    }
    Collections.reverse(frames);
    for (long block = frame.block + 1; block < end && frames.size() < max; block++) {
      Frame right = state.table.find(strand, block);
      if (right == null || !isReady(right, strand)) {
        break;
      }
      frames.add(right);
    }
    WriteRun run = new WriteRun(state, this, strand, inBackground, frames);
    queue.add(run);
    return run;
  }

  private static Strand strandOf(Frame frame) {
    Strand strand = frame.strand;
    if (strand == null) {
      throw new IllegalStateException("free frame");
    }
    return strand;
  }

  /**
   * Waits until the frame is written back, or something happened that may have changed the matter.
   */
  void clean(Frame frame, long deadlineNanos) throws IOException {
    Strand strand = strandOf(frame);
    long block = frame.block;
    WriteRun run = frame.run;
    if (run == null && isReady(frame, strand)) {
      run = start(frame, false, 0, Long.MAX_VALUE);
    }
    if (run == null) {
      state.await(
          strand.writesHeld ? strand.changed : frame.changed,
          deadlineNanos,
          strand,
          block,
          "write-back");
      return;
    }
    await(run, strand, block, deadlineNanos);
  }

  /**
   * Writes what is dirty of the blocks {@code [first, to)}, ascending, neighbours in one transfer,
   * one transfer after the other, and no other block. Waits.
   */
  void write(Strand strand, long first, long to, long deadlineNanos) throws IOException {
    long block = first;
    while (block < to) {
      strand.checkOpen();
      Frame frame = state.table.find(strand, block);
      if (frame == null || (!frame.isDirty() && frame.run == null)) {
        block++;
      } else if (frame.run != null) { // perhaps it took its copy before the last write
        await(frame.run, strand, block, deadlineNanos);
      } else if (isReady(frame, strand)) {
        WriteRun run = start(frame, false, first, to);
        await(run, strand, block, deadlineNanos);
        block = Math.max(block, run.end());
      } else {
        Signal changed = strand.writesHeld ? strand.changed : frame.changed;
        state.await(changed, deadlineNanos, strand, block, "write-back");
      }
    }
  }

  private void await(WriteRun run, Strand strand, long block, long deadlineNanos)
      throws IOException {
    while (!run.isDone()) {
      state.await(strand.changed, deadlineNanos, strand, block, "end of write-back");
    }
    MillraceException error = run.error();
    if (error != null) {
      throw error.again();
    }
  }

  /**
   * Makes all that was written before durable. If some blocks cannot be written, the others are
   * made durable all the same before the error is thrown. Waits.
   */
  void flush(Strand strand, long deadlineNanos) throws IOException {
    long stamp = state.stamp;
    IOException failure = null;
    boolean again = true;
    while (again) {
      try {
        while (writeAll(strand, stamp, deadlineNanos)) {}
      } catch (DeadlineException e) {
        throw e;
      } catch (IOException e) {
        failure = e;
      }
      again = strand.isUnflushed() && !flushStore(strand, stamp, failure, deadlineNanos);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** False if blocks have become dirty again that should have been written, and none had failed. */
  private boolean flushStore(
      Strand strand, long stamp, @Nullable IOException failure, long deadlineNanos)
      throws IOException {
    holdWrites(strand, deadlineNanos);
    try {
      // Another thread's run may have failed and left its blocks dirty.
      if (failure == null && strand.dirtyBlocks(stamp).length > 0) {
        return false;
      }
      if (strand.isUnflushed()) { // else another flush, or a detach, did it meanwhile
        long end = strand.end;
        long changes = strand.changes;
        strand.store.modified(strand.modified);
        StoreCall.flush(state, queue, strand, end, deadlineNanos);
        strand.flushedChanges = changes;
      }
      return true;
    } catch (IOException e) {
      if (failure != null) {
        failure.addSuppressed(e);
        throw failure;
      }
      throw e;
    } finally {
      strand.openGate();
    }
  }

  /**
   * One pass over the blocks dirty since {@code stamp} or longer; returns whether there were any.
   */
  private boolean writeAll(Strand strand, long stamp, long deadlineNanos) throws IOException {
    ArrayDeque<WriteRun> runs = new ArrayDeque<>();
    long[] blocks = strand.dirtyBlocks(stamp);
    IOException failure = null;
    for (long block : blocks) {
      if (runs.size() >= 2 * state.options.diskThreads()) {
        WriteRun eldest = runs.remove();
        failure = tried(failure, () -> await(eldest, strand, block, deadlineNanos));
      }
      Frame frame = state.table.find(strand, block);
      if (frame == null || !frame.isDirty() || frame.dirtyStamp > stamp) {
        continue;
      }
      if (isReady(frame, strand)) {
        runs.add(start(frame, false, 0, Long.MAX_VALUE));
      } else if (runs.isEmpty()) {
        failure = tried(failure, () -> clean(frame, deadlineNanos));
      }
    }
    for (WriteRun run : runs) {
      failure = tried(failure, () -> await(run, strand, -1, deadlineNanos));
    }
    if (failure != null) {
      throw failure;
    }
    return blocks.length > 0;
  }

  private interface Wait {
    void end() throws IOException;
  }

  /** The first failure: what cannot be written does not keep the rest from being written. */
  private static @Nullable IOException tried(@Nullable IOException failure, Wait wait)
      throws DeadlineException {
    try {
      wait.end();
      return failure;
    } catch (DeadlineException e) {
      throw e;
    } catch (IOException e) {
      return failure == null ? e : failure;
    }
  }

  /** Closes the gate for writes and waits until none is under way. */
  void holdWrites(Strand strand, long deadlineNanos) throws IOException {
    while (strand.writesHeld) {
      state.await(strand.changed, deadlineNanos, strand, 0, "turn");
    }
    strand.writesHeld = true;
    try {
      while (strand.writes > 0) {
        state.await(strand.changed, deadlineNanos, strand, 0, "end of writes");
      }
    } catch (IOException e) {
      strand.openGate();
      throw e;
    }
  }
}
