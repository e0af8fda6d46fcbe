package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * The disk threads and their queue of jobs, first come, first served. A job in the queue needs only
 * a disk thread: everything else was waited for before it was queued, so the threads cannot block
 * each other.
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
    /** How much staging memory it needs. */
    default long stagingBytes() {
      return 0;
    }

    /** Runs on a disk thread, without the lock, and throws nothing. */
    void run(MemorySegment staging);
  }

  private static final int JOBS_PER_THREAD = 8;
  private static final long PAGE_BYTES = 4096;
  private static final Job STOP = staging -> {};

  // Constant after construction.
  private final CacheState state;
  private final Signal work;
  private final Signal ended;

  // Set once, before the first job.
  private Runnable afterJob = () -> {};

  // Guarded by the cache's lock.
  private final ArrayDeque<Job> jobs = new ArrayDeque<>();
  private int threads;
  private long stagingBytes;
  private boolean stopping;

  DiskQueue(CacheState state) {
    this.state = state;
    work = state.newSignal();
    ended = state.newSignal();
    threads = state.options.diskThreads();
    for (int i = 0; i < state.options.diskThreads(); i++) {
      state.env.start(ThreadKind.DISK, state.name + "-disk-" + i, this::serve);
    }
  }

  /** What a disk thread does after each job, without the lock. */
  void afterEachJob(Runnable action) {
    afterJob = action;
  }

  boolean isFull() {
    return jobs.size() >= JOBS_PER_THREAD * state.options.diskThreads();
  }

  void add(Job job) {
    jobs.add(job);
    work.signal();
  }

  long stagingBytes() {
    return stagingBytes;
  }

  private void serve() {
    try {
      Job job = next();
      while (job != STOP) {
        long bytes = Math.max(job.stagingBytes(), state.options.runBytes());
        try (Arena arena = state.env.ownArena()) {
          job = serve(arena.allocate(bytes, PAGE_BYTES), job);
        }
      }
    } finally {
      state.acquire();
      threads--;
      ended.signalAll();
      state.release();
    }
  }

  /** Runs jobs as long as this staging memory is enough; returns the first that needs more. */
  private Job serve(MemorySegment staging, Job first) {
    countStaging(staging.byteSize());
    try {
      Job job = first;
      while (job != STOP && job.stagingBytes() <= staging.byteSize()) {
        job.run(staging);
        afterJob.run();
        job = next();
      }
      return job;
    } finally {
      countStaging(-staging.byteSize());
    }
  }

  private void countStaging(long more) {
    state.acquire();
    stagingBytes += more;
    state.release();
  }

  private Job next() {
    state.acquire();
    try {
      while (jobs.isEmpty()) {
        if (stopping) {
          return STOP;
        }
        work.await(Env.NEVER);
      }
      return jobs.remove();
    } finally {
      state.release();
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
