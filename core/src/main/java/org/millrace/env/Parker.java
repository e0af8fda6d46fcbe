package org.millrace.env;

/**
 * A place where one thread at a time waits until another unparks it: the cheapest wait. It holds at
 * most one permit, so that an {@link #unpark} just before {@link #park} is not lost.
 *
 * <p>{@link #unpark} may be called by any thread; {@link #park} by one thread at a time. Waiting
 * cannot be interrupted, as {@link Signal} says.
 */
public interface Parker {

  /**
   * Waits for a permit and takes it. Returns false if the instant {@code deadlineNanos} has passed
   * without one, true otherwise. Never returns for nothing.
   */
  boolean park(long deadlineNanos);

  /** Gives the permit, if it is not there already. */
  void unpark();
}
