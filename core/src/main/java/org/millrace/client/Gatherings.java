package org.millrace.client;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether it is worth gathering for calls that are only carried out together if all their blocks
 * are in memory. Where they were not for the second time, calls go the other way at once: one, then
 * more each time. All ranks see the same outcomes, so they mostly agree; where they do not it only
 * takes time.
 *
 * <p>Safe for use by several threads.
 */
final class Gatherings {

  private static final int MAX_DOUBLINGS = 7;

  private final AtomicInteger vain = new AtomicInteger();
  private final AtomicInteger passed = new AtomicInteger();

  /** Whether to gather for the next call. Asked once for each. */
  boolean isWorthIt() {
    return passed.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
  }

  /** Ranks have gathered; {@code done} if the call was carried out by that. */
  void onEnd(boolean done) {
    if (done) {
      vain.set(0);
    } else {
      int times = vain.updateAndGet(before -> Math.min(before + 1, MAX_DOUBLINGS));
      passed.set((1 << (times - 1)) - 1);
    }
  }
}
