package org.millrace.plan.collective;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Extent;
import org.millrace.access.Runs;

/**
 * The stripe units of a file domain in another order than the file's: those that the same ranks
 * want come together. Then fewer ranks have a piece of a chunk, and longer ones, although it is of
 * the same number of units, and it is complete when they are there:
 *
 * <pre>
 *   a row of a matrix is two units, its left half is wanted by ranks 0 to 31, the right by 32 to 63
 *
 *   domain           0  1      in order:  0 1 | 2 3 | 4 5 | 6 7     64 pieces of each chunk
 *                    2  3      here:      0 2 | 4 6 | 1 3 | 5 7     32 pieces, twice as long
 *                    4  5
 *                    6  7
 * </pre>
 *
 * <p>A cursor, owned by one thread.
 */
final class SharedUnits {

  /** More units than that are not compared. */
  private static final int MAX_UNITS = Long.SIZE;

  /** Runs of a rank in a domain that are looked at: of more, pieces are not short. */
  private static final int MAX_RUNS = 2 * MAX_UNITS;

  /** Units of a chunk, and who has pieces of it. */
  record Part(PieceFinder finder, Extent extent, RunList units) {}

  /** Units, ascending, that the same ranks want, who want nothing else of the domain. */
  private record Group(PieceFinder finder, ArrayDeque<Extent> units) {}

  // owned by one thread
  private final ArrayDeque<Group> groups = new ArrayDeque<>();

  private SharedUnits(List<Group> groups) {
    this.groups.addAll(groups);
  }

  /**
   * The units of a domain; null if they are not wanted by different ranks, several units by each.
   *
   * @param finder of the ranks that want something of the domain, whose views ascend
   */
  static @Nullable SharedUnits of(PieceFinder finder, Extent domain, long unitBytes) {
    long first = domain.offset() / unitBytes;
    long count = domain.isEmpty() ? 0 : (domain.end() - 1) / unitBytes + 1 - first;
    if (count > MAX_UNITS) {
      return null;
    }
    Map<Long, List<Integer>> byUnits = new LinkedHashMap<>();
    for (int i = 0; i < finder.partners(); i++) {
      long units = units(finder, i, domain, unitBytes);
      byUnits.computeIfAbsent(units, _ -> new ArrayList<>()).add(i);
    }
    List<Group> groups = new ArrayList<>();
    long seen = 0;
    for (Map.Entry<Long, List<Integer>> entry : byUnits.entrySet()) {
      long units = entry.getKey();
      if ((seen & units) != 0 || Long.bitCount(units) < 2) {
        return null;
      }
      seen |= units;
      int[] places = entry.getValue().stream().mapToInt(Integer::intValue).toArray();
      groups.add(new Group(finder.of(places), extents(units, first, domain, unitBytes)));
    }
    return groups.size() < 2 ? null : new SharedUnits(groups);
  }

  /** The units that a rank may want something of, as bits; all if that takes long to find out. */
  private static long units(PieceFinder finder, int place, Extent domain, long unitBytes) {
    long first = domain.offset() / unitBytes;
    long units = 0;
    int looked = 0;
    Runs runs = finder.runs(place, domain);
    while (runs.next()) {
      boolean close = runs.stride() <= unitBytes;
      long step = close ? 0 : runs.stride();
      long length = close ? (runs.count() - 1) * runs.stride() + runs.length() : runs.length();
      for (long i = 0; i < (close ? 1 : runs.count()); i++, looked++) {
        long from = runs.offset() + i * step;
        long to = from + length - 1;
        if (looked == MAX_RUNS || runs.stride() < 0) {
          return -1;
        }
        units |= bits((int) (from / unitBytes - first), (int) (to / unitBytes - first));
      }
    }
    return units;
  }

  private static long bits(int from, int to) {
    return -1L << from & -1L >>> Long.SIZE - 1 - to;
  }

  private static ArrayDeque<Extent> extents(long units, long first, Extent domain, long unitBytes) {
    ArrayDeque<Extent> extents = new ArrayDeque<>();
    for (long rest = units; rest != 0; rest &= rest - 1) {
      long start = (first + Long.numberOfTrailingZeros(rest)) * unitBytes;
      extents.add(new Extent(start, unitBytes).intersect(domain));
    }
    return extents;
  }

  /** The next units, at most so many bytes but one at least; null if none are left. */
  @Nullable Part next(long maxBytes) {
    Group group = groups.peek();
    if (group == null) {
      return null;
    }
    long first = group.units.getFirst().offset();
    long end = first;
    RunList units = new RunList();
    while (!group.units.isEmpty()
        && (end == first || units.bytes() + group.units.getFirst().length() <= maxBytes)) {
      Extent unit = group.units.removeFirst();
      units.add(unit.offset() - first, unit.length());
      end = unit.end();
    }
    if (group.units.isEmpty()) {
      groups.remove();
    }
    return new Part(group.finder, Extent.between(first, end), units);
  }
}
