package org.millrace.node;

import java.util.BitSet;

/** Which bytes of a stretch of a block were named. Owned by one thread. */
final class Coverage {

  private final BitSet named = new BitSet();
  private int low;
  private int high;

  void reset(long from, long to) {
    named.clear();
    low = (int) from;
    high = (int) to;
  }

  void add(long from, long to) {
    named.set((int) from, (int) to);
  }

  boolean isComplete() {
    return named.nextClearBit(low) >= high;
  }
}
