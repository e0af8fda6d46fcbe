package org.millrace.env;

/**
 * A condition of a lock, with deadlines on the clock of its {@link Env}. As with any condition the
 * caller holds the lock, tests its predicate in a loop, and must expect spurious wake-ups.
 *
 * <p>Waiting cannot be interrupted: an interrupt is remembered in the thread's flag and the wait
 * goes on, because the operations of this system end by completion, failure or deadline and in no
 * fourth way.
 */
public interface Signal {

  /**
   * Waits to be woken. Returns false if the instant {@code deadlineNanos} has passed, true
   * otherwise.
   */
  boolean await(long deadlineNanos);

  /** Wakes one waiting thread. */
  void signal();

  /** Wakes all waiting threads. */
  void signalAll();
}
