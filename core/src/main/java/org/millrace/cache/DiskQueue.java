package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * The disk threads and the jobs they wait for, first come first served. A job in the queue needs
 * nothing but a disk thread: whatever it must wait for was waited for before it was queued, so the
 * threads cannot block each other.
 *
 * <p>The queue is bounded: threads that wait for their job have a small number each, and jobs that
 * nobody waits for (hints, read-ahead, write-behind) are not started when {@link #isFull}.
 *
 * <p>The queue is owned by the cache's lock; each staging buffer by its disk thread. Closing stops
 * the threads.
 */
final class DiskQueue {

  /** One or a few calls of a store. */
  interface Job {
    /** Runs on a disk thread, without the lock, and throws nothing. */
    void run(MemorySegment staging);
  }

  private static final int JOBS_PER_THREAD = 8;
  private static final Job STOP = staging -> {};

  // Constant after construction.
  private final Books books;
  private final Signal work;
  private final Signal ended;
  private final long stagingBytes;

  // Set once, before the first job.
  private Runnable afterJob = () -> {};

  // Guarded by the lock of the books.
  private final ArrayDeque<Job> jobs = new ArrayDeque<>();
  private int threads;
  private int staged;
  private boolean stopping;

  DiskQueue(Books books) {
    this.books = books;
    work = books.newSignal();
    ended = books.newSignal();
    stagingBytes = (long) books.options.runBlocks() << Frame.SHIFT;
    threads = books.options.diskThreads();
    for (int i = 0; i < books.options.diskThreads(); i++) {
      books.env.start(ThreadKind.DISK, books.name + "-disk-" + i, this::serve);
    }
  }

  /** What a disk thread does after each job, without the lock. */
  void afterEachJob(Runnable action) {
    afterJob = action;
  }

  boolean isFull() {
    return jobs.size() >= JOBS_PER_THREAD * books.options.diskThreads();
  }

  void add(Job job) {
    jobs.add(job);
    work.signal();
  }

  long stagingBytes() {
    return staged * stagingBytes;
  }

  private void serve() {
    try (Arena arena = books.env.ownArena()) {
      MemorySegment staging = MemorySegment.NULL;
      for (Job job = next(); job != STOP; job = next()) {
        if (staging.equals(MemorySegment.NULL)) {
          staging = arena.allocate(stagingBytes, Frame.BYTES);
          countStaging();
        }
        job.run(staging);
        afterJob.run();
      }
    } finally {
      books.acquire();
      threads--;
      ended.signalAll();
      books.release();
    }
  }

  private void countStaging() {
    books.acquire();
    staged++;
    books.release();
  }

  private Job next() {
    books.acquire();
    try {
      while (jobs.isEmpty()) {
        if (stopping) {
          return STOP;
        }
        work.await(Env.NEVER);
      }
      return jobs.remove();
    } finally {
      books.release();
    }
  }

  /**
   * Ends the threads after the jobs that are queued. Returns whether all ended before the deadline.
   */
  boolean stop(long deadlineNanos) {
    stopping = true;
    work.signalAll();
    while (threads > 0) {
      if (!ended.await(deadlineNanos)) {
        return threads == 0;
      }
    }
    return true;
  }
}
