package org.millrace.sim.machine;

/**
 * An application that computes on a host's processor. All other work has priority and interrupts it
 * at once; returning to it takes a context switch, so shorter pauses are useless to it. It delays
 * no other work.
 *
 * <p>For threads of the machine's environment; one at a time computes.
 */
public final class ComputeJob {

  // constant after construction
  private final Host host;
  private final long switchNanos;

  // owned by whichever thread runs
  private long stopAt = Long.MAX_VALUE;

  /**
   * An application on a host.
   *
   * @param switchNanos from the end of an interruption until it computes again
   */
  public ComputeJob(Host host, long switchNanos) {
    this.host = host;
    this.switchNanos = switchNanos;
  }

  /**
   * Computes until it has had {@code nanos} of the processor, or is stopped; returns how much it
   * has had.
   */
  public long compute(long nanos) {
    long left = nanos;
    long at = host.nanoTime();
    while (left > 0 && at < stopAt) {
      long again = host.processor().freeAt() + switchNanos;
      Waiting.until(host, left + Math.max(at, again));
      long now = host.nanoTime();
      left -= host.processor().leftNanos(at, Math.min(now, stopAt), switchNanos);
      at = now;
    }
    return nanos - left;
  }

  /** Stops it: what it computes after an instant of the past, or now, does not count. */
  public void stop(long instant) {
    stopAt = instant;
  }
}
