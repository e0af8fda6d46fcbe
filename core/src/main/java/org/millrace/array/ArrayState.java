package org.millrace.array;

import java.util.concurrent.atomic.AtomicLong;

/**
 * State of an open array that does not depend on hints: its prefetched section, and how often this
 * rank has written it, alone or with others.
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
