package org.millrace.sim.kotz;

/**
 * What the I/O application does that the pattern does not say. Immutable.
 *
 * @param isStaggered whether each rank begins one block further in its part than the one before it,
 *     and comes to its first blocks last; else all begin at their first
 * @param isFlushed whether writes count until the platters have them
 * @param buffers of a node in a disk-directed call
 */
record Conduct(boolean isStaggered, boolean isFlushed, int buffers) {

  /** As in the paper. */
  static Conduct paper(Hardware hardware) {
    return new Conduct(false, true, hardware.atOnce() + 1);
  }

  Conduct staggered() {
    return new Conduct(true, isFlushed, buffers);
  }

  Conduct unflushed() {
    return new Conduct(isStaggered, false, buffers);
  }

  Conduct withBuffers(int count) {
    return new Conduct(isStaggered, isFlushed, count);
  }
}
