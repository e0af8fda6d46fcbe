package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.access.Extent;

/**
 * The ranges of one file that a transaction has locked until it ends. No range is locked twice,
 * because the rank would wait for itself.
 *
 * <p>Belongs to the rank's thread.
 */
final class LockedRanges {

  private final Rank rank;
  private final long file;
  private final TreeMap<Long, Long> ranges = new TreeMap<>(); // from, to; none touches another
  private final List<HeldLock> locks = new ArrayList<>();

  LockedRanges(Rank rank, long file) {
    this.rank = rank;
    this.file = file;
  }

  /** Locks what of a range is not yet locked. */
  void lock(Extent range) throws IOException {
    long from = range.offset();
    while (from < range.end()) {
      Map.Entry<Long, Long> below = ranges.floorEntry(from);
      if (below != null && below.getValue() > from) {
        from = below.getValue();
        continue;
      }
      Long above = ranges.ceilingKey(from);
      long to = above == null ? range.end() : Math.min(above, range.end());
      locks.add(HeldLock.ofFile(rank, file, from, to, false, false));
      add(from, to);
      from = to;
    }
  }

  private void add(long from, long to) {
    long start = from;
    long stop = to;
    Map.Entry<Long, Long> below = ranges.floorEntry(from);
    if (below != null && below.getValue() == from) {
      start = below.getKey();
    }
    Long above = ranges.remove(to);
    if (above != null) {
      stop = above;
    }
    ranges.put(start, stop);
  }

  /** Whether any byte of a range is locked. */
  boolean touches(Extent range) {
    Map.Entry<Long, Long> below = ranges.lowerEntry(range.end());
    return below != null && below.getValue() > range.offset();
  }

  /** Gives all locks back, whatever fails. */
  void release() throws IOException {
    IOException failure = null;
    for (HeldLock lock : locks) {
      try {
        lock.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    locks.clear();
    ranges.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
