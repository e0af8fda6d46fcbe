package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Loads adjacent blocks from the store with one transfer: directly into frames that hold nothing
 * yet, or, if all of them hold a part of their block, through staging memory, without overwriting
 * these parts.
 *
 * <p>The fields of the outcome are owned by the cache's lock.
 */
final class Load implements DiskQueue.Job {

  // Constant after construction.
  private final CacheState state;
  private final Strand strand;
  private final Frame[] frames;
  private final boolean merging;
  private final Runnable afterwards;

  // Guarded by the cache's lock.
  private boolean done;
  private @Nullable MillraceException error;

  /**
   * A load of frames of neighbouring blocks, which become busy with it. The gate of the strand must
   * be open.
   */
  Load(CacheState state, Strand strand, Frame... frames) {
    this(state, strand, () -> {}, frames);
  }

  private Load(CacheState state, Strand strand, Runnable afterwards, Frame... frames) {
    this.state = state;
    this.strand = strand;
    this.frames = frames;
    this.merging = !frames[0].isEmpty();
    this.afterwards = afterwards;
    for (Frame frame : frames) {
      frame.load = this;
    }
    strand.loads++;
  }

  /**
   * A load of absent blocks, at most {@code max} and as there are free frames, of which there must
   * be one. When it has ended {@code afterwards} runs with the lock held, and may let go of it.
   */
  static Load ahead(CacheState state, Strand strand, long block, int max, Runnable afterwards) {
    return new Load(state, strand, afterwards, take(state, strand, block, max, true));
  }

  /** Free frames for absent blocks, at most {@code max} and as there are any. */
  static Frame[] take(CacheState state, Strand strand, long block, int max, boolean prefetch) {
    int count = 1;
    int bound = Math.min(max, state.slabs.free(strand));
    while (count < bound && state.table.find(strand, block + count) == null) {
      count++;
    }
    Frame[] frames = new Frame[count];
    for (int i = 0; i < count; i++) {
      frames[i] = state.take(strand, block + i);
      frames[i].prefetched = prefetch;
    }
    return frames;
  }

  boolean isDone() {
    return done;
  }

  @Nullable MillraceException error() {
    return error;
  }

  int blocks() {
    return frames.length;
  }

  Frame firstFrame() {
    return frames[0];
  }

  @Override
  public long stagingBytes() {
    return merging ? (long) frames.length << strand.shift : 0;
  }

  @Override
  public void run(MemorySegment staging) {
    List<MemorySegment> into = new ArrayList<>(frames.length);
    for (int i = 0; i < frames.length; i++) {
      into.add(
          merging
              ? staging.asSlice((long) i << strand.shift, strand.blockBytes())
              : frames[i].memory);
    }
    MillraceException failure = null;
    try {
      strand.store.read(frames[0].block, into);
      state.env.charge(Work.CHECKSUM, (long) frames.length << strand.shift);
    } catch (Exception | Error e) {
      failure = failure(e, strand);
    }
    state.acquire();
    try {
      finish(failure, into);
      afterwards.run();
    } finally {
      state.release();
    }
  }

  /** What a store threw, as an error that every waiting access can be given. */
  static MillraceException failure(Throwable e, Strand strand) {
    return e instanceof MillraceException m
        ? m
        : new MillraceException(ErrorCode.DISK, strand.name() + ": " + e, e);
  }

  private void finish(@Nullable MillraceException failure, List<MemorySegment> read) {
    done = true;
    error = failure;
    strand.loads--;
    state.counters.reads++;
    state.counters.bytesRead += failure == null ? (long) frames.length << strand.shift : 0;
    state.counters.failedReads += failure == null ? 0 : 1;
    for (int i = 0; i < frames.length; i++) {
      Frame frame = frames[i];
      frame.load = null;
      if (failure == null && merging) {
        frame.fillRest(read.get(i));
      } else if (failure == null) {
        frame.growValid(0, frame.bytes);
      } else if (!merging) {
        // It stays, empty, for the threads that wait for it; being the oldest now, it is evicted
        // first.
        state.lru.remove(frame);
        state.lru.addOldest(frame);
      }
      state.wake(frame);
    }
    strand.changed.signalAll();
  }
}
