package org.millrace.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * Serializes overlapping accesses of several blocks of one strand: shared for reads, exclusive for
 * writes, first come, first served, so that no access starves. Each access holds one range, so
 * there is no deadlock.
 *
 * <p>Guarded by the cache's lock; the caller waits, and checks {@link #isGranted} again after each
 * wake-up.
 */
final class RangeLock {

  /** The bytes [from, to) of one access. */
  static final class Range {
    private long from;
    private long to;
    private boolean exclusive;

    private boolean conflicts(Range other) {
      return (exclusive || other.exclusive) && from < other.to && other.from < to;
    }
  }

  /** In the order of arrival. */
  private final List<Range> ranges = new ArrayList<>();

  private final List<Range> unused = new ArrayList<>();

  Range arrive(long from, long to, boolean exclusive) {
    Range range = unused.isEmpty() ? new Range() : unused.removeLast();
    range.from = from;
    range.to = to;
    range.exclusive = exclusive;
    ranges.add(range);
    return range;
  }

  boolean isGranted(Range range) {
    for (int i = 0; i < ranges.size(); i++) {
      Range earlier = ranges.get(i);
      if (earlier == range) {
        return true;
      }
      if (earlier.conflicts(range)) {
        return false;
      }
    }
    throw new IllegalStateException("range left already");
  }

  /** Leaves, granted or not. Returns whether other ranges remain, which may be waiting. */
  boolean leave(Range range) {
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i) == range) {
        ranges.remove(i);
        break;
      }
    }
    unused.add(range);
    return !ranges.isEmpty();
  }

  boolean isEmpty() {
    return ranges.isEmpty();
  }
}
