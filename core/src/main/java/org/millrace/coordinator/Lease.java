package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * The right to answer as the coordinator, for a short time. It is renewed as long as most members
 * of the group confirm that no other leads; when it is not, answers wait, and when it is over they
 * are dropped. The next coordinator begins to answer when this right must have run out.
 *
 * <pre>
 *            renewed            time passes             renewed
 *   begun -----------&gt; valid ------------------&gt; lapsed ----------&gt; valid
 *     '----------------- end, from any state ------------------&gt; over
 * </pre>
 *
 * <p>Safe for use by several threads.
 */
public final class Lease {

  // constant after construction
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // written with the lock held
  private volatile long untilNanos;
  private volatile boolean over;

  // guarded by lock
  private List<Runnable> waiting = new ArrayList<>();
  private boolean cut;

  /** One that has still to be renewed for the first time. */
  public Lease(Env env) {
    this.env = env;
    this.changed = env.signal(lock);
    this.untilNanos = env.nanoTime();
  }

  /** Good until then, if that is later than it was; unless it is over. */
  public void renew(long nanos) {
    List<Runnable> now;
    lock.lock();
    try {
      if (over || nanos <= untilNanos) {
        return;
      }
      untilNanos = nanos;
      if (!isValid()) {
        return; // the confirmation itself took too long
      }
      now = waiting;
      waiting = new ArrayList<>();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    now.forEach(Runnable::run);
  }

  /** For good: what waits is dropped. */
  public void end() {
    lock.lock();
    try {
      over = true;
      waiting = new ArrayList<>();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody can hear any more what is still said: those who wait inside may return. */
  public void onCut() {
    lock.lock();
    try {
      over = true;
      cut = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it has ended for good. */
  public boolean isOver() {
    return over;
  }

  /** Whether an answer may be given now. */
  public boolean isValid() {
    return !over && env.nanoTime() < untilNanos;
  }

  /** Waits until it is over. */
  public void awaitOver() {
    lock.lock();
    try {
      while (!over) {
        changed.await(Env.NEVER); // it ends with the term, or with the process
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs {@code answer} as soon as it is valid; never, if that does not happen. */
  void whenValid(Runnable answer) {
    if (!isValid()) {
      lock.lock();
      try {
        if (over) {
          return;
        }
        if (!isValid()) {
          waiting.add(answer);
          return;
        }
      } finally {
        lock.unlock();
      }
    }
    answer.run();
  }

  /**
   * Waits until it is valid. False if it is over, and then only when the sender cannot hear the
   * answer any more.
   */
  boolean awaitValid() {
    if (isValid()) {
      return true;
    }
    lock.lock();
    try {
      while (!isValid() && !cut) {
        changed.await(Env.NEVER); // renewed, or over and cut soon after
      }
      return !cut && isValid();
    } finally {
      lock.unlock();
    }
  }
}
