package org.millrace.sim.network;

import java.util.Arrays;

/**
 * One direction of a host's link, and when it is busy. A message takes the first gap that is long
 * enough, even if later messages were scheduled before it.
 *
 * <p>Called by threads of one seeded environment, which run one at a time.
 */
final class Line {

  private static final int FEW = 8;

  /** Stretches that are remembered; the oldest are long over. */
  private static final int MOST = 512;

  // owned by whichever thread runs: stretches ascend and do not touch each other
  private long[] from = new long[FEW];
  private long[] to = new long[FEW];
  private int size;

  /** Takes the line for so long, at {@code earliest} or later; returns when that begins. */
  long take(long earliest, long nanos) {
    int at = size;
    while (at > 0 && to[at - 1] > earliest) {
      at--;
    }
    long start = earliest;
    while (at < size && from[at] - start < nanos) {
      start = to[at];
      at++;
    }
    insert(at, start, start + nanos);
    return start;
  }

  private void insert(int at, long start, long end) {
    boolean left = at > 0 && to[at - 1] == start;
    boolean right = at < size && from[at] == end;
    if (left && right) {
      to[at - 1] = to[at];
      remove(at);
    } else if (left) {
      to[at - 1] = end;
    } else if (right) {
      from[at] = start;
    } else {
      add(at, start, end);
    }
  }

  private void add(int where, long start, long end) {
    int at = where;
    if (size == MOST && at > 0) {
      remove(0);
      at--;
    }
    if (size == from.length) {
      from = Arrays.copyOf(from, 2 * size);
      to = Arrays.copyOf(to, 2 * size);
    }
    System.arraycopy(from, at, from, at + 1, size - at);
    System.arraycopy(to, at, to, at + 1, size - at);
    from[at] = start;
    to[at] = end;
    size++;
  }

  private void remove(int at) {
    System.arraycopy(from, at + 1, from, at, size - at - 1);
    System.arraycopy(to, at + 1, to, at, size - at - 1);
    size--;
  }
}
