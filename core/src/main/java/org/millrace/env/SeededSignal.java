package org.millrace.env;

import java.util.concurrent.locks.Condition;

/**
 * A condition with deadlines in virtual time. When a deadline passes, the waiting thread is
 * interrupted, which is the only way to take exactly one thread off a condition without holding its
 * lock. Other interrupts are kept for later, unless they come in the same step as the deadline.
 * Guarded, as any condition, by its lock.
 */
record SeededSignal(SeededEnv env, Condition condition) implements Signal {

  @Override
  @SuppressWarnings("WaitNotInLoop") // the loop is the caller's
  public boolean await(long deadlineNanos) {
    if (deadlineNanos == Env.NEVER) {
      condition.awaitUninterruptibly();
      return true;
    }
    if (deadlineNanos <= env.nanoTime()) {
      return false;
    }
    boolean interrupted = Thread.interrupted();
    SeededTimer timer = env.timer(deadlineNanos, true);
    try {
      boolean woken = false;
      while (!woken && !timer.fired) {
        try {
          condition.await();
          woken = true;
        } catch (InterruptedException e) {
          interrupted |= !timer.fired;
        }
      }
      if (timer.fired) {
        Thread.interrupted(); // the timer's, if it came when the thread was woken already
      }
      return env.nanoTime() < deadlineNanos;
    } finally {
      env.cancel(timer);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void signal() {
    condition.signal();
  }

  @Override
  public void signalAll() {
    condition.signalAll();
  }
}
