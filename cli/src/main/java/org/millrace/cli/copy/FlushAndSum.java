package org.millrace.cli.copy;

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
 * Follows the writer of a file: makes the written bytes durable and has the nodes sum them while
 * more is written. It stays close behind the writer, so that the bytes are still in memory.
 *
 * <pre>
 *   file   |summed........|durable, being summed|being made durable|written...|
 * </pre>
 *
 * <p>{@link #wrote} and {@link #finish} are for the thread that writes. Closing waits for the
 * trail's own threads.
 */
final class FlushAndSum implements AutoCloseable {

  /** The file that is written, as it can be read. Used by two threads of the trail. */
  interface Kept {

    /**
     * Returns after all that was written is durable; with {@code last} also what is known of it.
     */
    void force(boolean last) throws IOException;

    /**
     * The checksum of what is there from {@code from} to before {@code to}, or to the end of the
     * file: then what is missing may count as zeros.
     *
     * @param buffer for those who have to read it themselves
     */
    int checksum(long from, long to, MemorySegment buffer) throws IOException;

    /** Where, from a byte in a gap on, there is something to be read nevertheless. */
    long nextData(long at) throws IOException;

    long size() throws IOException;
  }

  /** So much is made durable at a time: many forces of little would cost more than one. */
  private static final long STEP_BYTES = 32L << 20;

  /** A writer with so much that is not being made durable waits. */
  private static final long MAX_BYTES = 2 * STEP_BYTES;

  /** So much is summed at a time: who stops does not wait for longer. */
  private static final long SUM_BYTES = 32L << 20;

  /** So much is read at a time where it has to be: it is still near when it is summed. */
  private static final long READ_BYTES = 256 << 10;

  /** Gaps below this are summed like the rest. */
  private static final long MIN_GAP = 1 << 20;

  // constant after construction
  private final Env env;
  private final Kept kept;
  private final boolean verify;
  private final LongConsumer progress;
  private final CompletableFuture<FileCopier.Load> found = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by lock
  private List<FileCopier.Run> written = new ArrayList<>();
  private long writtenBytes;
  private boolean ended;
  private boolean stopped;

  /** Begins. {@code verify}: sum what was made durable. */
  FlushAndSum(Env env, Kept kept, boolean verify, LongConsumer progress) {
    this.env = env;
    this.kept = kept;
    this.verify = verify;
    this.progress = progress;
    env.start(ThreadKind.DISK, "trail", this::run);
  }

  /** The next run has been written. Waits while too much is not durable. */
  void wrote(FileCopier.Run run) throws IOException {
    lock.lock();
    try {
      written.add(run);
      writtenBytes += run.length();
      changed.signalAll();
      while (writtenBytes >= MAX_BYTES && !found.isDone()) {
        changed.awaitUninterruptibly(); // ends: every force and sum does
      }
    } finally {
      lock.unlock();
    }
    if (found.isCompletedExceptionally()) {
      FileCopier.Load _ = Transfers.await(found); // throws
    }
  }

  /** All has been written: returns when it is durable, with what was found there. */
  FileCopier.Load finish() throws IOException {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return Transfers.await(found);
  }

  private void run() {
    try (Arena arena = Arena.ofShared()) {
      found.complete(follow(arena.allocate(READ_BYTES, 64)));
    } catch (IOException | InterruptedException | RuntimeException e) {
      found.completeExceptionally(e);
    }
    lock.lock();
    try {
      changed.signalAll(); // nobody need wait for this any more
    } finally {
      lock.unlock();
    }
  }

  private FileCopier.Load follow(MemorySegment buffer) throws IOException, InterruptedException {
    ByteSum tally = new ByteSum(progress);
    List<FileCopier.Run> durable = List.of();
    boolean last;
    do {
      List<FileCopier.Run> next;
      lock.lock();
      try {
        while (!ended && !stopped && writtenBytes < STEP_BYTES) {
          changed.await();
        }
        checkGoesOn();
        last = ended;
        next = written;
        written = new ArrayList<>();
        writtenBytes = 0;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
      CompletableFuture<Boolean> force = force(last);
      try {
        examine(tally, durable, buffer);
      } finally {
        Transfers.settle(force);
      }
      boolean _ = Transfers.await(force); // or throws
      durable = next;
    } while (!last);
    examine(tally, durable, buffer);
    if (verify) {
      checkLength(tally);
      skip(tally, kept.size(), buffer);
    }
    return tally.load();
  }

  /** Begins to make durable what was written. */
  private CompletableFuture<Boolean> force(boolean last) {
    CompletableFuture<Boolean> forced = new CompletableFuture<>();
    env.start(
        ThreadKind.DISK,
        "force",
        () -> {
          try {
            kept.force(last);
            forced.complete(true);
          } catch (IOException | RuntimeException e) {
            forced.completeExceptionally(e);
          }
        });
    return forced;
  }

  private void examine(ByteSum tally, List<FileCopier.Run> runs, MemorySegment buffer)
      throws IOException {
    if (!verify) {
      return;
    }
    long reached = tally.bytes();
    for (FileCopier.Run run : runs) {
      if (run.from() - reached >= MIN_GAP) {
        sum(tally, reached, buffer);
        skip(tally, run.from(), buffer);
      }
      reached = run.to();
    }
    sum(tally, reached, buffer);
  }

  /** Counts a gap as zeros, as far as nothing is there. */
  private void skip(ByteSum tally, long to, MemorySegment buffer) throws IOException {
    while (tally.bytes() < to) {
      tally.addZeros(Math.min(to, kept.nextData(tally.bytes())) - tally.bytes());
      sum(tally, Math.min(to, tally.bytes() + FileCopier.PIECE_BYTES), buffer);
    }
  }

  private void sum(ByteSum tally, long to, MemorySegment buffer) throws IOException {
    while (tally.bytes() < to) {
      checkGoesOn();
      long count = Math.min(SUM_BYTES, to - tally.bytes());
      int sum = kept.checksum(tally.bytes(), tally.bytes() + count, buffer);
      tally.add(sum, count);
    }
  }

  /** What is behind the end counts as zeros, but not as written. */
  private void checkLength(ByteSum tally) throws IOException {
    long size = kept.size();
    if (size < tally.bytes()) {
      throw new CorruptBlockException(
          "damaged: it ends at %s, before %s; nothing was kept, try again"
              .formatted(size, tally.bytes()));
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
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Transfers.settle(found);
  }
}
