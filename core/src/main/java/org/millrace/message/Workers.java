package org.millrace.message;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * Threads that handle requests that may wait for a disk: a limited number at a time, the rest in
 * order of arrival. The queue is bounded by the number of requests that sessions may have in
 * flight.
 *
 * <p>Safe for use by several threads. Nothing to close: threads end when there is nothing to do.
 */
final class Workers {

  private final Env env;
  private final String name;
  private final int max;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private int running;

  Workers(Env env, String name, int max) {
    this.env = env;
    this.name = name;
    this.max = max;
  }

  void run(Runnable task) {
    lock.lock();
    try {
      if (running == max) {
        waiting.add(task);
        return;
      }
      running++;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, name, () -> work(task));
  }

  private void work(Runnable first) {
    Runnable task = first;
    while (task != null) {
      try {
        task.run();
      } catch (RuntimeException | Error e) { // the tasks behind it have not failed
        Thread me = Thread.currentThread();
        me.getUncaughtExceptionHandler().uncaughtException(me, e);
      }
      task = next();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable task = waiting.poll();
      if (task == null) {
        running--;
      }
      return task;
    } finally {
      lock.unlock();
    }
  }
}
