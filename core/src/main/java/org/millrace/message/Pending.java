package org.millrace.message;

import java.io.IOException;

/** A request that has not been answered. Safe for use by several threads. */
public interface Pending {

  /** Whether the answer is there. */
  boolean isDone();

  /**
   * Waits for the answer.
   *
   * @throws org.millrace.error.DeadlineException if it is not there at {@code deadlineNanos}; the
   *     request goes on
   * @throws IOException what the other side answered, as a new exception of the same kind for each
   *     waiter
   */
  Message await(long deadlineNanos) throws IOException;

  /**
   * Waits for the next thing that has to happen before the answer is there, and returns whether it
   * is there. A thread that waits for several requests calls this of each in turn, so that all of
   * them go on; else as {@link #await}.
   */
  default boolean advance(long deadlineNanos) throws IOException {
    await(deadlineNanos);
    return true;
  }

  /** Whether {@link #advance} would not have to wait, as far as is known. */
  default boolean canAdvance() {
    return isDone();
  }

  /**
   * No thread will wait for it: when this returns the payload belongs to its owner again, and what
   * becomes of the request is unknown.
   */
  default void abandon() {}

  /**
   * Runs {@code then} once the answer is there: now, or on the thread that brings it, which must
   * not be kept waiting. If the request brings a payload, {@link #await} may still have to put it
   * where it belongs.
   */
  default void whenDone(Runnable then) {
    throw new UnsupportedOperationException("whenDone");
  }

  /** Whether {@link #whenDone} works. */
  default boolean tellsWhenDone() {
    return false;
  }

  /**
   * Whether the receiver itself has replied: then it no longer accesses the payload. A request that
   * failed because its connection was lost is done, but not answered.
   */
  default boolean isAnswered() {
    return isDone();
  }
}
