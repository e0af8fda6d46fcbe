package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;

/**
 * How ranks that write on their own see to it that bytes which several of them write end as the
 * highest of them has them. Either they take turns, or each leaves out what a higher one writes: if
 * there are not many runs, and few stretches are left of each rank's access.
 *
 * @param inTurns whether each rank waits for the one below
 * @param left by rank, the stretches of its access that are left, as positions of its view; empty
 *     if nothing is left out
 */
public record WriteOrder(boolean inTurns, List<List<Extent>> left) {

  /** More runs of all ranks are not compared. */
  private static final int MAX_RUNS = 1 << 11;

  /** More stretches would be more requests than turns cost. */
  private static final int MAX_STRETCHES = 4;

  /** No two ranks write the same byte. */
  static final WriteOrder ANY = new WriteOrder(false, List.of());

  /** Ranks wait for each other. */
  static final WriteOrder IN_TURNS = new WriteOrder(true, List.of());

  /** Keeps copies of the lists. */
  public WriteOrder {
    left = left.stream().map(List::copyOf).toList();
  }

  /** What is best for these accesses. */
  static WriteOrder of(boolean overlapping, List<Access> accesses) {
    if (!overlapping) {
      return ANY;
    }
    long runs = 0;
    for (int i = 0; i < accesses.size() && runs <= MAX_RUNS; i++) {
      runs += Math.clamp(Cover.runs(accesses.get(i)), 1, MAX_RUNS + 1);
    }
    return runs > MAX_RUNS ? IN_TURNS : leavingOut(accesses);
  }

  private static WriteOrder leavingOut(List<Access> accesses) {
    TreeMap<Long, Long> written = new TreeMap<>(); // by higher ranks: from, to; none meet
    List<List<Extent>> left = new ArrayList<>();
    for (Access access : accesses.reversed()) {
      List<Extent> own = left(access, written);
      if (own.size() > MAX_STRETCHES) {
        return IN_TURNS;
      }
      left.addFirst(own);
      addTo(written, access);
    }
    return new WriteOrder(false, left);
  }

  /** The positions whose bytes were not written; cut short where there are too many stretches. */
  private static List<Extent> left(Access access, TreeMap<Long, Long> written) {
    List<Extent> stretches = new ArrayList<>();
    Runs runs = access.view().runs(access.from(), access.to());
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long offset = runs.offset() + i * runs.stride();
        long shift = runs.position() + i * runs.length() - offset;
        for (long at = offset, end = offset + runs.length(); at < end; ) {
          Map.Entry<Long, Long> below = written.floorEntry(at);
          if (below != null && below.getValue() > at) {
            at = below.getValue();
            continue;
          }
          Long next = written.higherKey(at);
          long to = next == null ? end : Math.min(end, next);
          add(stretches, shift + at, shift + to);
          at = to;
        }
      }
      if (stretches.size() > MAX_STRETCHES) {
        break;
      }
    }
    return stretches;
  }

  private static void add(List<Extent> stretches, long from, long to) {
    Extent last = stretches.isEmpty() ? null : stretches.getLast();
    if (last != null && last.end() == from) {
      stretches.set(stretches.size() - 1, Extent.between(last.offset(), to));
    } else {
      stretches.add(Extent.between(from, to));
    }
  }

  private static void addTo(TreeMap<Long, Long> written, Access access) {
    Runs runs = access.view().runs(access.from(), access.to());
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long from = runs.offset() + i * runs.stride();
        long to = from + runs.length();
        Map.Entry<Long, Long> below = written.floorEntry(to);
        while (below != null && below.getValue() >= from) {
          written.remove(below.getKey());
          from = Math.min(from, below.getKey());
          to = Math.max(to, below.getValue());
          below = written.floorEntry(to);
        }
        written.put(from, to);
      }
    }
  }

  /** What a rank writes of its access. */
  public List<Extent> stretches(int rank, Access access) {
    if (!left.isEmpty()) {
      return left.get(rank);
    }
    return access.isEmpty() ? List.of() : List.of(Extent.between(access.from(), access.to()));
  }
}
