package org.millrace.node;

import java.util.BitSet;

/** The bytes of a range of a block that have been named so far. Owned by one thread. */
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
