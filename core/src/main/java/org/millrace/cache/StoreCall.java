package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;

/** A call of a store that is not a transfer of blocks. The result is owned by the cache's lock. */
final class StoreCall implements DiskQueue.Job {

  /** What to do with the store. */
  interface Body {
    /** Runs on a disk thread, without the lock. */
    void run(MemorySegment staging) throws IOException;
  }

  // Constant after construction.
  private final CacheState state;
  private final Strand strand;
  private final Body body;

  // Guarded by the cache's lock.
  private boolean done;
  private @Nullable MillraceException error;

  private StoreCall(CacheState state, Strand strand, Body body) {
    this.state = state;
    this.strand = strand;
    this.body = body;
  }

  /**
   * Runs {@code body} on a disk thread and waits for it. The caller has closed the strand's gate.
   */
  static void make(
      CacheState state, DiskQueue queue, Strand strand, long deadlineNanos, String what, Body body)
      throws IOException {
    StoreCall call = new StoreCall(state, strand, body);
    strand.calling = true;
    queue.add(call);
    call.await(deadlineNanos, what);
  }

  /**
   * Flushes the store up to {@code end} and waits for it: with other strands, if it can be, else on
   * a disk thread. The caller has closed the strand's gate.
   */
  static void flush(CacheState state, DiskQueue queue, Strand strand, long end, long deadlineNanos)
      throws IOException {
    StoreCall call = new StoreCall(state, strand, staging -> strand.store.flush(end));
    strand.calling = true;
    try {
      if (!strand.store.flushTogether(end, call::onEnded)) {
        queue.add(call);
      }
    } catch (IOException e) {
      call.onEnded(Load.failure(e, strand));
    }
    call.await(deadlineNanos, "flush");
  }

  private void await(long deadlineNanos, String what) throws IOException {
    while (!done) {
      state.await(strand.changed, deadlineNanos, strand, strand.storedBlocks, what);
    }
    MillraceException failure = error;
    if (failure != null) {
      throw failure.again();
    }
  }

  private void onEnded(@Nullable MillraceException failure) {
    state.acquire();
    done = true;
    error = failure;
    strand.onCallEnded();
    state.release();
  }

  @Override
  public long stagingBytes() {
    return strand.blockBytes();
  }

  @Override
  public void run(MemorySegment staging) {
    MillraceException failure = null;
    try {
      body.run(staging);
    } catch (Exception | Error e) {
      failure = Load.failure(e, strand);
    }
    onEnded(failure);
  }
}
