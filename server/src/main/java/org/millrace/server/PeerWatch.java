package org.millrace.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * Ends waits for clients that are too slow. A thread says that it waits; if it still does at its
 * deadline it is interrupted, which closes the connection that it reads from or writes to. Outside
 * of such waits threads are never interrupted.
 *
 * <p>Safe for use by several threads. Closing ends the watching thread; it is idempotent.
 */
final class PeerWatch implements AutoCloseable {

  private static final long LONGEST_NAP = 250_000_000L;

  /** Reads from or writes to a client. */
  interface Wait<T extends @Nullable Object> {
    T run() throws IOException;
  }

  // constant after construction
  private final Env env;
  private final ConcurrentHashMap<Thread, Long> deadlines = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal ended;

  @GuardedBy("lock")
  private boolean closed;

  private PeerWatch(Env env) {
    this.env = env;
    this.ended = env.signal(lock);
  }

  static PeerWatch start(Env env) {
    PeerWatch watch = new PeerWatch(env);
    env.start(ThreadKind.SERVICE, "http-watch", watch::watch);
    return watch;
  }

  /** The calling thread waits from now on, for so long at most. */
  void begin(long nanos) {
    deadlines.put(Thread.currentThread(), env.deadlineAfter(nanos));
  }

  /** The calling thread does not wait any more. */
  void end() {
    if (deadlines.remove(Thread.currentThread()) == null) {
      Thread.interrupted(); // it may have been too late: the connection is closed, no more
    }
  }

  /** Does something that may wait for a client. */
  <T extends @Nullable Object> T within(long nanos, Wait<T> work) throws IOException {
    begin(nanos);
    try {
      return work.run();
    } finally {
      end();
    }
  }

  private void watch() {
    lock.lock();
    try {
      while (!closed) {
        if (!ended.await(env.deadlineAfter(LONGEST_NAP))) {
          interruptLate(env.nanoTime());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Each of them while it cannot say that it has ended: that takes the same entry of the map. */
  private void interruptLate(long now) {
    for (Thread thread : deadlines.keySet()) {
      deadlines.computeIfPresent(
          thread,
          (waiting, deadline) -> {
            if (deadline - now > 0) {
              return deadline;
            }
            waiting.interrupt();
            return null;
          });
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
