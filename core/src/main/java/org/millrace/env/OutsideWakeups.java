package org.millrace.env;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads of a {@link SeededEnv} that were made ready by a thread outside the environment. This is
 * allowed for a thread that waited for a monitor, which the JVM hands on. Any other wake-up would
 * make the run depend on what else the JVM does.
 *
 * <p>Any thread may {@link #add}; all other methods are for the thread that runs the environment.
 */
final class OutsideWakeups {

  private static final int MAX_WAITS = 600; // counted, so that a JVM that was stopped has its time
  private static final long WAIT_MILLIS = 100;

  private record Wakeup(Executor thread, Runnable stretch, String by) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition came = lock.newCondition();
  private final ArrayDeque<Wakeup> inbox = new ArrayDeque<>(); // guarded by lock

  /** Notes that an outside thread made a thread ready. */
  void add(Executor thread, Runnable stretch, Thread by) {
    lock.lock();
    try {
      inbox.add(new Wakeup(thread, stretch, by.toString()));
      came.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a thread that waited for a monitor can go on, and returns its continuation. */
  Runnable await(Executor thread, long seed) {
    lock.lock();
    try {
      for (int i = 0; i < MAX_WAITS; i++) {
        for (Iterator<Wakeup> all = inbox.iterator(); all.hasNext(); ) {
          Wakeup wakeup = all.next();
          if (wakeup.thread == thread) {
            all.remove();
            return wakeup.stretch;
          }
        }
        pause();
      }
    } finally {
      lock.unlock();
    }
    throw new IllegalStateException(
        "seed " + seed + ": a thread waits for a monitor that another of its environment holds");
  }

  /** Throws if an outside thread has made a thread ready. */
  void check(long seed) {
    lock.lock();
    try {
      if (!inbox.isEmpty()) {
        throw disturbed(
            seed, "a thread was woken from outside by " + inbox.stream().map(Wakeup::by).toList());
      }
    } finally {
      lock.unlock();
    }
  }

  static IllegalStateException disturbed(long seed, String how) {
    return new IllegalStateException("seed %s: not deterministic, %s".formatted(seed, how));
  }

  /** As {@link #check}, when no thread can run: waits a moment for an outside wake-up first. */
  void checkStandstill(long seed) {
    lock.lock();
    try {
      if (inbox.isEmpty()) {
        pause();
      }
    } finally {
      lock.unlock();
    }
    check(seed);
  }

  @SuppressWarnings("WaitNotInLoop") // the loops are the callers'
  private void pause() {
    try {
      came.await(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a seeded environment runs", e);
    }
  }
}
