package org.millrace.sim.kotz;

/**
 * What the I/O application does that the pattern does not say. Immutable.
 *
 * @param isStaggered whether each rank begins one block further in its part than the one before it,
 *     and comes to its first blocks last; else all begin at their first
 * @param isFlushed whether writes count until the platters have them
 * @param buffers of a node in a disk-directed call
 */
record ApplicationOptions(boolean isStaggered, boolean isFlushed, int buffers) {

  /** As in the paper. */
  static ApplicationOptions paper(Hardware hardware) {
    return new ApplicationOptions(false, true, hardware.atOnce() + 1);
  }

  ApplicationOptions staggered() {
    return new ApplicationOptions(true, isFlushed, buffers);
  }

  ApplicationOptions unflushed() {
    return new ApplicationOptions(isStaggered, false, buffers);
  }

  ApplicationOptions withBuffers(int count) {
    return new ApplicationOptions(isStaggered, isFlushed, count);
  }
}
