package org.millrace.env;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A clock that a thread reads every few milliseconds while somebody asks, so that asking costs a
 * few loads. When nobody has asked for a while the thread ends, and the next one who asks starts
 * another.
 *
 * <p>Safe for use by several threads.
 */
final class CoarseClock {

  private static final int TICK_MILLIS = 4;
  private static final int IDLE_TICKS = 250;

  private final Consumer<Runnable> threads;
  private final ReentrantLock lock = new ReentrantLock();

  // written by the thread, or with the lock held while there is none
  private volatile long now;
  private volatile boolean running;

  /** Whether somebody has asked since the last tick; a lost mark only ends the thread early. */
  private boolean asked;

  CoarseClock() {
    this(work -> Thread.ofPlatform().daemon().name("coarse clock").start(work));
  }

  /** {@code threads}: starts one that does something. */
  CoarseClock(Consumer<Runnable> threads) {
    this.threads = threads;
  }

  long nanoTime() {
    if (!running) {
      return start();
    }
    if (!asked) {
      asked = true;
    }
    return now;
  }

  private long start() {
    lock.lock();
    try {
      if (!running) {
        now = System.nanoTime();
        running = true; // before the thread may have ended
        boolean started = false;
        try {
          threads.accept(this::run);
          started = true;
        } finally {
          if (!started) {
            running = false; // else it would stand still for ever
          }
        }
      }
      return now;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    int idle = 0;
    while (idle < IDLE_TICKS) {
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        break; // nobody does that; the next who asks starts another
      }
      now = System.nanoTime();
      idle = asked ? 0 : idle + 1;
      asked = false;
    }
    running = false;
  }
}
