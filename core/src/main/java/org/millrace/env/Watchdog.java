package org.millrace.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * One thread that watches the deadlines of many waits. If a virtual thread parks with a timeout,
 * the JDK wakes a thread of its own each time, which is the largest cost of a short wait. So such
 * threads park without a timeout, and this thread wakes them at their deadline. Nearly all waits
 * end long before and cost one entry in a list.
 *
 * <pre>
 *   a wait begins --> fresh (a stack) --at most a tick later--> waits (by deadline) --> woken
 *                       \--ended meanwhile: dropped--/            \--ended: dropped, sooner or later
 * </pre>
 *
 * <p>Why no deadline is missed: a wait is watched only if its deadline is at least a tick away. Who
 * begins one puts it on the stack first and then looks whether the watchdog rests; the watchdog
 * says that it rests first and then looks at the stack. So one of the two sees the other, and the
 * watchdog looks at the stack within a tick of every entry, before the entry's deadline. While it
 * finds new entries it looks again after each tick, without being woken.
 *
 * <p>{@link #watch} may be called by any thread; the rest belongs to the watchdog's own.
 */
final class Watchdog {

  /** How far away a deadline must be, and how often fresh waits are looked at. */
  static final long TICK_NANOS = 5_000_000;

  private static final int FEW = 1024;
  private static final VarHandle FRESH;
  private static final VarHandle RESTING;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FRESH = lookup.findVarHandle(Watchdog.class, "fresh", Wait.class);
      RESTING = lookup.findVarHandle(Watchdog.class, "resting", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One wait with a deadline. */
  static final class Wait {
    private final long deadlineNanos;
    private volatile @Nullable Runnable wake;
    private @Nullable Wait next; // constant once it is on the stack

    private Wait(long deadlineNanos, Runnable wake) {
      this.deadlineNanos = deadlineNanos;
      this.wake = wake;
    }

    /** It is over: no thread has to be woken. */
    void end() {
      wake = null;
    }

    private boolean isOver() {
      return wake == null;
    }
  }

  // constant after construction
  private final Env env;
  private final Parker sleeper;

  private volatile @Nullable Wait fresh;
  private volatile boolean resting;
  private volatile boolean closed;

  // the watchdog's own
  private final PriorityQueue<Wait> waits =
      new PriorityQueue<>(Comparator.comparingLong((Wait wait) -> wait.deadlineNanos));
  private int kept = FEW; // so many were not over when all were looked at

  private Watchdog(Env env) {
    this.env = env;
    this.sleeper = env.parker();
  }

  /** One that runs. */
  static Watchdog start(Env env) {
    Watchdog watchdog = asleep(env);
    env.start(ThreadKind.SERVICE, "watchdog", watchdog::run);
    return watchdog;
  }

  /** One that never runs: what it watches is never woken. For tests that must notice that. */
  static Watchdog asleep(Env env) {
    return new Watchdog(env);
  }

  /**
   * Runs {@code wake} when {@code deadlineNanos} has come, which is at least a tick away, unless
   * the wait has ended by then; perhaps also if it ends at that very moment.
   */
  Wait watch(long deadlineNanos, Runnable wake) {
    Wait wait = new Wait(deadlineNanos, wake);
    Wait head;
    do {
      head = fresh;
      wait.next = head;
    } while (!FRESH.compareAndSet(this, head, wait));
    if (resting && RESTING.compareAndSet(this, true, false)) {
      sleeper.unpark();
    }
    return wait;
  }

  /** Ends the watchdog's thread. */
  void close() {
    closed = true;
    sleeper.unpark();
  }

  /** How many waits it keeps in order. For tests, on the watchdog's thread or after its end. */
  int size() {
    return waits.size();
  }

  private void run() {
    while (!closed) {
      boolean some = takeFresh();
      wakeLate();
      long next = waits.isEmpty() ? Env.NEVER : waits.element().deadlineNanos;
      if (some) {
        sleeper.park(Math.min(next, env.deadlineAfter(TICK_NANOS)));
      } else {
        resting = true;
        if (fresh == null) {
          sleeper.park(next);
        }
        resting = false;
      }
    }
  }

  /** Takes what has begun since the last look; returns whether there was anything. */
  private boolean takeFresh() {
    Wait wait = (Wait) FRESH.getAndSet(this, null);
    boolean some = wait != null;
    while (wait != null) {
      Wait next = wait.next;
      wait.next = null; // one that stays must not keep those that are over
      if (!wait.isOver()) {
        waits.add(wait);
      }
      wait = next;
    }
    if (waits.size() > 2 * kept) {
      waits.removeIf(Wait::isOver);
      kept = Math.max(FEW, waits.size());
    }
    return some;
  }

  private void wakeLate() {
    long now = env.nanoTime();
    while (!waits.isEmpty() && waits.element().deadlineNanos <= now) {
      Runnable wake = waits.remove().wake;
      if (wake != null) {
        wake.run();
      }
    }
  }
}
