package org.millrace.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.CorruptBlockException;

/**
 * Goes behind somebody who writes a file: makes durable what was written, and reads it back from
 * there, while more is written.
 *
 * <pre>
 *   file   |durable, read back|durable|written........|
 * </pre>
 *
 * <p>{@link #wrote} and {@link #finish} are for the thread that writes. Closing waits for the
 * trail's own thread.
 */
final class Trail implements AutoCloseable {

  /** The file that is written, as it can be read. Used by the trail's thread. */
  interface Kept {

    /**
     * Returns after all that was written is durable; with {@code last} also what is known of it.
     */
    void force(boolean last) throws IOException;

    /** Reads what is there at {@code at}; returns how many bytes, 0 at the end of the file. */
    long read(long at, MemorySegment into) throws IOException;

    /** Where, from a byte in a gap on, there is something to be read nevertheless. */
    long nextData(long at) throws IOException;

    long size() throws IOException;
  }

  /** So much is made durable at a time: many forces of little would cost more than one. */
  private static final long STEP_BYTES = 64L << 20;

  /** Gaps below this are read like the rest. */
  private static final long LEAST_GAP = 1 << 20;

  // constant after construction
  private final Kept kept;
  private final boolean verify;
  private final LongConsumer progress;
  private final CompletableFuture<Courier.Load> found = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by lock
  private List<Courier.Run> written = new ArrayList<>();
  private long writtenBytes;
  private boolean ended;
  private boolean stopped;

  /** Begins. {@code verify}: read back what was made durable. */
  Trail(Env env, Kept kept, boolean verify, LongConsumer progress) {
    this.kept = kept;
    this.verify = verify;
    this.progress = progress;
    env.start(ThreadKind.DISK, "trail", this::run);
  }

  /** The next run has been written. */
  void wrote(Courier.Run run) throws IOException {
    if (found.isCompletedExceptionally()) {
      Courier.Load _ = Transfers.await(found); // throws
    }
    lock.lock();
    try {
      written.add(run);
      writtenBytes += run.length();
      if (writtenBytes >= STEP_BYTES) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** All has been written: returns when it is durable, with what was read back. */
  Courier.Load finish() throws IOException {
    lock.lock();
    try {
      ended = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    return Transfers.await(found);
  }

  private void run() {
    Tally tally = new Tally(progress);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment buffer = arena.allocate(Courier.PIECE_BYTES, 64);
      boolean last;
      do {
        List<Courier.Run> runs;
        lock.lock();
        try {
          while (!ended && !stopped && writtenBytes < STEP_BYTES) {
            changed.await();
          }
          checkGoesOn();
          last = ended;
          runs = written;
          written = new ArrayList<>();
          writtenBytes = 0;
        } finally {
          lock.unlock();
        }
        kept.force(last);
        if (verify) {
          examine(tally, runs, buffer);
        }
      } while (!last);
      if (verify) {
        skip(tally, kept.size(), buffer);
      }
      found.complete(tally.load());
    } catch (IOException | InterruptedException | RuntimeException e) {
      found.completeExceptionally(e);
    }
  }

  private void examine(Tally tally, List<Courier.Run> runs, MemorySegment buffer)
      throws IOException {
    for (Courier.Run run : runs) {
      if (run.from() - tally.bytes() >= LEAST_GAP) {
        skip(tally, run.from(), buffer);
      }
      read(tally, run.to(), buffer);
    }
  }

  /** Counts a gap as zeros, as far as nothing is there. */
  private void skip(Tally tally, long to, MemorySegment buffer) throws IOException {
    while (tally.bytes() < to) {
      tally.addZeros(Math.min(to, kept.nextData(tally.bytes())) - tally.bytes());
      read(tally, Math.min(to, tally.bytes() + buffer.byteSize()), buffer);
    }
  }

  private void read(Tally tally, long to, MemorySegment buffer) throws IOException {
    while (tally.bytes() < to) {
      checkGoesOn();
      long most = Math.min(buffer.byteSize(), to - tally.bytes());
      long count = kept.read(tally.bytes(), buffer.asSlice(0, most));
      if (count <= 0) {
        throw new CorruptBlockException(
            "damaged: it ends at %d, before %d; nothing was kept, try again"
                .formatted(tally.bytes(), to));
      }
      tally.add(buffer.asSlice(0, count));
    }
  }

  private void checkGoesOn() throws InterruptedIOException {
    lock.lock();
    try {
      if (stopped) {
        throw new InterruptedIOException("interrupted");
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      stopped = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    Transfers.settle(found);
  }
}
