package org.millrace.array;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known of an open array, whatever hints its calls have: what was read ahead, and how often
 * it was written by this rank or together with it.
 *
 * <p>The rank's thread reads ahead; {@link #written} may be called by any thread.
 */
final class ArrayState {

  private final Prefetched prefetched = new Prefetched();
  private final AtomicLong writes = new AtomicLong();

  Prefetched prefetched() {
    return prefetched;
  }

  /** Grows with each write that this rank knows of: what was read before may be old. */
  long writes() {
    return writes.get();
  }

  void written() {
    writes.incrementAndGet();
  }
}
