package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.millrace.access.Extent;

/**
 * The ranges of one file that a transaction has locked until it ends, strand by strand: none twice,
 * because a rank would wait for itself.
 *
 * <p>Belongs to the rank's thread.
 */
final class LockedRanges {

  /** Neighbouring strands, from one to before another; not counted round. */
  private record Lanes(int from, int to) implements Comparable<Lanes> {

    boolean holds(int lane) {
      return from <= lane && lane < to;
    }

    @Override
    public int compareTo(Lanes other) {
      return from == other.from ? Integer.compare(to, other.to) : Integer.compare(from, other.from);
    }
  }

  private final Rank rank;

  /** What was locked of strands that were locked together: from, to; none touches another. */
  private final TreeMap<Lanes, TreeMap<Long, Long>> ranges = new TreeMap<>();

  private final List<HeldLock> locks = new ArrayList<>();

  LockedRanges(Rank rank) {
    this.rank = rank;
  }

  /** Locks what is not yet locked. */
  void lock(LockScope scope) throws IOException {
    for (Lanes lanes : lanes(scope)) {
      lock(scope, lanes);
    }
  }

  /** The strands of a scope, cut where they go round. */
  private static List<Lanes> lanes(LockScope scope) {
    int all = scope.layout().strands();
    int end = scope.first() + scope.strands();
    return end <= all
        ? List.of(new Lanes(scope.first(), end))
        : List.of(new Lanes(0, end - all), new Lanes(scope.first(), all));
  }

  /** Neighbouring strands of which the same is missing are locked together. */
  private void lock(LockScope scope, Lanes wanted) throws IOException {
    TreeSet<Integer> cuts = new TreeSet<>(List.of(wanted.from, wanted.to));
    for (Lanes known : ranges.keySet()) {
      cuts.addAll(List.of(known.from, known.to).stream().filter(wanted::holds).toList());
    }
    List<Integer> edges = List.copyOf(cuts);
    int first = 0;
    while (first < edges.size() - 1) {
      List<Extent> missing = missing(edges.get(first), scope.range());
      int next = first + 1;
      while (next < edges.size() - 1 && missing(edges.get(next), scope.range()).equals(missing)) {
        next++;
      }
      Lanes lanes = new Lanes(edges.get(first), edges.get(next));
      for (Extent one : missing) {
        locks.add(
            HeldLock.ofFile(
                rank,
                scope.name(lanes.from, lanes.to - lanes.from),
                one.offset(),
                one.end(),
                false,
                false));
        add(ranges.computeIfAbsent(lanes, _ -> new TreeMap<>()), one.offset(), one.end());
      }
      first = next;
    }
  }

  /** What of a range is not yet locked on a strand. */
  private List<Extent> missing(int lane, Extent range) {
    List<Extent> missing = new ArrayList<>();
    missing.add(range);
    for (Map.Entry<Lanes, TreeMap<Long, Long>> known : ranges.entrySet()) {
      if (known.getKey().holds(lane)) {
        List<Extent> left = new ArrayList<>();
        missing.forEach(one -> subtract(one, known.getValue(), left));
        missing = left;
      }
    }
    return missing;
  }

  private static void subtract(Extent range, NavigableMap<Long, Long> known, List<Extent> left) {
    long from = range.offset();
    while (from < range.end()) {
      Map.Entry<Long, Long> below = known.floorEntry(from);
      if (below != null && below.getValue() > from) {
        from = below.getValue();
        continue;
      }
      Long above = known.ceilingKey(from);
      long to = above == null ? range.end() : Math.min(above, range.end());
      left.add(Extent.between(from, to));
      from = to;
    }
  }

  private static void add(NavigableMap<Long, Long> known, long from, long to) {
    long start = from;
    long stop = to;
    Map.Entry<Long, Long> below = known.floorEntry(from);
    if (below != null && below.getValue() == from) {
      start = below.getKey();
    }
    Long above = known.remove(to);
    if (above != null) {
      stop = above;
    }
    known.put(start, stop);
  }

  /** Whether any of these bytes is locked. */
  boolean touches(LockScope scope) {
    for (Lanes lanes : lanes(scope)) {
      for (Map.Entry<Lanes, TreeMap<Long, Long>> known : ranges.entrySet()) {
        Map.Entry<Long, Long> below = known.getValue().lowerEntry(scope.range().end());
        if (known.getKey().from < lanes.to
            && lanes.from < known.getKey().to
            && below != null
            && below.getValue() > scope.range().offset()) {
          return true;
        }
      }
    }
    return false;
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
