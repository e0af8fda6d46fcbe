package org.millrace.env;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads of a {@link SeededEnv} that were made ready by a thread that is not of the environment.
 * For one that found a monitor taken that is in order: the JVM hands it on. Any other would depend
 * on what runs besides.
 *
 * <p>Strangers add from any thread; all else belongs to the thread that runs the environment.
 */
final class Strangers {

  private static final int MAX_WAITS = 600; // counted, so that a JVM that was stopped has its time
  private static final long WAIT_MILLIS = 100;

  private record Made(Executor thread, Runnable stretch, String by) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition came = lock.newCondition();
  private final ArrayDeque<Made> inbox = new ArrayDeque<>(); // guarded by lock

  /** A stranger makes a thread ready. */
  void add(Executor thread, Runnable stretch, Thread by) {
    lock.lock();
    try {
      inbox.add(new Made(thread, stretch, by.toString()));
      came.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a thread that found a monitor taken can go on with what it returns. */
  Runnable await(Executor thread, long seed) {
    lock.lock();
    try {
      for (int i = 0; i < MAX_WAITS; i++) {
        for (Iterator<Made> all = inbox.iterator(); all.hasNext(); ) {
          Made made = all.next();
          if (made.thread == thread) {
            all.remove();
            return made.stretch;
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

  /** Throws if a stranger has made a thread ready. */
  void check(long seed) {
    lock.lock();
    try {
      if (!inbox.isEmpty()) {
        throw disturbed(
            seed, "a thread was woken from outside by " + inbox.stream().map(Made::by).toList());
      }
    } finally {
      lock.unlock();
    }
  }

  static IllegalStateException disturbed(long seed, String how) {
    return new IllegalStateException("seed %d: not deterministic, %s".formatted(seed, how));
  }

  /** As {@link #check}, when nobody can go on but for a stranger: gives it a moment. */
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
