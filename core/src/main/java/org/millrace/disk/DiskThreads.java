package org.millrace.disk;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A few threads that do file I/O for callers on virtual threads, where it would block the carrier.
 * Callers wait, so the queue is never longer than the number of callers.
 *
 * <p>Safe for use by several threads. Closing lets queued work end and the threads stop;
 * idempotent.
 */
public final class DiskThreads implements AutoCloseable {

  /** Work for a disk thread. */
  public interface Work<T> {
    /** Does it. */
    T run() throws IOException;
  }

  /**
   * One piece of work and how it ended. Its fields are guarded by the lock of its {@link
   * DiskThreads}.
   */
  private static final class Job<T> {
    final Work<T> work;
    boolean done;
    @Nullable T result;
    @Nullable Throwable failure;

    Job(Work<T> work) {
      this.work = work;
    }
  }

  // constant after construction
  private final Env env;
  private final String name;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal wanted;
  private final Signal ended;

  // guarded by lock
  private final ArrayDeque<Job<?>> queue = new ArrayDeque<>();
  private boolean closed;

  /** Starts {@code count} threads. */
  public DiskThreads(Env env, String name, int count) {
    this.env = env;
    this.name = name;
    this.wanted = env.signal(lock);
    this.ended = env.signal(lock);
    for (int i = 0; i < count; i++) {
      env.start(ThreadKind.DISK, name + " disk thread " + i, this::serve);
    }
  }

  /** Runs {@code work} on a disk thread and waits for its result. */
  public <T> T call(String what, long timeoutNanos, Work<T> work) throws IOException {
    Job<T> job = new Job<>(work);
    long deadline = env.deadlineAfter(timeoutNanos);
    lock.lock();
    try {
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, name + " is closed");
      }
      queue.add(job);
      wanted.signal();
      while (!job.done) {
        if (!ended.await(deadline) && !job.done) {
          throw new DeadlineException(name + ": " + what + " did not end in time");
        }
      }
    } finally {
      lock.unlock();
    }
    return resultOf(job);
  }

  private static <T> T resultOf(Job<T> job) throws IOException {
    switch (job.failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
    return Objects.requireNonNull(job.result, "work returns something");
  }

  private void serve() {
    while (true) {
      Job<?> job = next();
      if (job == null) {
        return;
      }
      run(job);
    }
  }

  private @Nullable Job<?> next() {
    lock.lock();
    try {
      while (queue.isEmpty() && !closed) {
        wanted.await(Env.NEVER);
      }
      return queue.poll();
    } finally {
      lock.unlock();
    }
  }

  private <T> void run(Job<T> job) {
    T result = null;
    Throwable failure = null;
    try {
      result = job.work.run();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    lock.lock();
    try {
      job.result = result;
      job.failure = failure;
      job.done = true;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      wanted.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
