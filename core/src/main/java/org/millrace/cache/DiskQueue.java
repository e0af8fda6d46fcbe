package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
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
 * <p>A thread uses several staging buffers in turn. What was just written past the page cache is in
 * the cache of the processor that took it to the disk, and each line of it would have to be fetched
 * back from there to be overwritten, which takes several times as long as the copy (decision 0140).
 *
 * <p>The queue is owned by the cache's lock; staging buffers by their disk thread. Closing stops
 * the threads.
 */
final class DiskQueue {

  /** One or a few calls of a store. */
  interface Job {
    /** How much staging memory it needs. */
    default long stagingBytes() {
      return 0;
    }

    /**
     * Runs on a disk thread, without the lock, and throws nothing. {@code staging} is empty if it
     * needs none.
     */
    void run(MemorySegment staging);
  }

  private static final int JOBS_PER_THREAD = 8;
  private static final long PAGE_BYTES = 4096;

  /** The most staging memory of a thread, but for a job that needs more. */
  private static final long MAX_STAGING_BYTES = 8 << 20;

  /** All staging memory has at most this share of the cache, but for a buffer of each thread. */
  private static final int STAGING_SHARE = 16;

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
          job = serve(arena, bytes, job);
        }
      }
    } finally {
      state.acquire();
      threads--;
      ended.signalAll();
      state.release();
    }
  }

  /** Runs jobs as long as staging buffers of this size do; returns the first that needs more. */
  private Job serve(Arena arena, long bytes, Job first) {
    List<MemorySegment> buffers = new ArrayList<>();
    try {
      Job job = first;
      int turn = 0;
      while (job != STOP && job.stagingBytes() <= bytes) {
        if (job.stagingBytes() == 0) {
          job.run(MemorySegment.NULL);
        } else {
          if (turn == buffers.size()) {
            buffers.add(arena.allocate(bytes, PAGE_BYTES));
            countStaging(bytes);
          }
          job.run(buffers.get(turn));
          turn = (turn + 1) % turns(bytes);
        }
        afterJob.run();
        job = next();
      }
      return job;
    } finally {
      countStaging(-bytes * buffers.size());
    }
  }

  /** How many buffers of this size a thread uses. */
  private int turns(long bytes) {
    CacheOptions options = state.options;
    long share = options.bytes() / STAGING_SHARE / options.diskThreads();
    return (int) Math.max(1, Math.min(MAX_STAGING_BYTES, share) / bytes);
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
