package org.millrace.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * The asynchronous operations of one participant. Each runs on a thread of its own. Their number is
 * limited: a caller that starts one more waits until one has ended.
 *
 * <p>Safe for use by several threads. Closing waits for what is under way.
 */
final class Operations {

  /** What an operation does. */
  interface Body {
    long run() throws IOException;
  }

  /** The operations that belong to one file. Guarded by the lock of all. */
  static final class Batch {
    private int running;
  }

  // constant after construction
  private final Env env;
  private final String name;
  private final int limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal ended;

  // guarded by lock
  private int running;
  private int meeting;

  Operations(Env env, String name, int limit) {
    this.env = env;
    this.name = name;
    this.limit = limit;
    this.ended = env.signal(lock);
  }

  /** Starts {@code body}; the future is completed by the operation's thread. */
  CompletableFuture<Long> start(Batch batch, Body body) {
    enter(batch);
    CompletableFuture<Long> future = new CompletableFuture<>();
    env.start(
        ThreadKind.OPERATION,
        "operation of " + name,
        () -> {
          long result = 0;
          Throwable failure = null;
          try {
            result = body.run();
          } catch (IOException | RuntimeException | Error e) {
            failure = e;
          }
          leave(batch);
          if (failure == null) {
            future.complete(result);
          } else {
            future.completeExceptionally(failure);
          }
        });
    return future;
  }

  /** Whether none is under way. */
  boolean isIdle() {
    lock.lock();
    try {
      return running == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a future that an operation completes is so; false if it is not at that instant. */
  boolean awaitDone(CompletableFuture<?> future, long deadlineNanos) {
    lock.lock();
    try {
      while (!future.isDone()) {
        if (!ended.await(deadlineNanos)) {
          return future.isDone();
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Wakes threads that wait for a future. */
  void wake() {
    lock.lock();
    try {
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** How many are under way. */
  int underWay() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  private void enter(Batch batch) {
    lock.lock();
    try {
      while (running >= limit) {
        ended.await(Env.NEVER); // ends: every operation has a deadline of its own
      }
      running++;
      batch.running++;
    } finally {
      lock.unlock();
    }
  }

  private void leave(Batch batch) {
    lock.lock();
    try {
      running--;
      batch.running--;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** An operation begins to wait for other ranks. */
  void beginMeeting() {
    countMeeting(1);
  }

  /** It goes on. */
  void endMeeting() {
    countMeeting(-1);
  }

  private void countMeeting(int change) {
    lock.lock();
    try {
      meeting += change;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all that are under way wait for other ranks. */
  void settle() {
    lock.lock();
    try {
      while (running > meeting) {
        ended.await(Env.NEVER); // ends: every operation has a deadline of its own
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until none of these is under way. */
  void awaitEnd(Batch batch) {
    lock.lock();
    try {
      while (batch.running > 0) {
        ended.await(Env.NEVER); // ends: every operation has a deadline of its own
      }
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      while (running > 0) {
        ended.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
  }
}
