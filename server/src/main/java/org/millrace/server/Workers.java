package org.millrace.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * Threads that serve requests, up to a number; further requests wait, at most one for each
 * connection. Reading the head of a request is part of the work, and has a limit of its own.
 *
 * <p>Safe for use by several threads. Nothing to close: threads end when there is no work.
 */
final class Workers implements Executor {

  // constant after construction
  private final Env env;
  private final PeerWatch watch;
  private final ServeLimits limits;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private int running;

  Workers(Env env, PeerWatch watch, ServeLimits limits) {
    this.env = env;
    this.watch = watch;
    this.limits = limits;
  }

  @Override
  public void execute(Runnable request) {
    lock.lock();
    try {
      if (running == limits.threads()) {
        waiting.add(request);
        return;
      }
      running++;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, "http", () -> work(request));
  }

  private void work(Runnable first) {
    Runnable next = first;
    while (next != null) {
      watch.begin(limits.headerNanos());
      try {
        next.run();
      } finally {
        watch.end();
        next = next();
      }
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable request = waiting.poll();
      if (request == null) {
        running--;
      }
      return request;
    } finally {
      lock.unlock();
    }
  }
}
