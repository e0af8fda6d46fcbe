package org.millrace.sim.machine;

/**
 * A stretch of time in which a processor worked. Immutable.
 *
 * @param fromNanos when it began
 * @param toNanos when it was idle again
 */
public record Busy(long fromNanos, long toNanos) {

  /** Checks that it does not end before it begins. */
  public Busy {
    if (toNanos < fromNanos) {
      throw new IllegalArgumentException("busy from " + fromNanos + " to " + toNanos);
    }
  }

  /** How long. */
  public long nanos() {
    return toNanos - fromNanos;
  }
}
