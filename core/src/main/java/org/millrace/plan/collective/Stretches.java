package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Geometry;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.plan.DomainTable;

/**
 * A cursor over the stretches of a covering section between which so many columns are wanted by no
 * rank that leaving them out is cheaper than reading them. Columns are the indices of the slowest
 * dimension in which the section has more than one.
 *
 * <p>How it works: the columns that a rank wants are a range. From the first wanted column on a
 * stretch grows by every range that it touches and whose own gaps are short; it ends where the next
 * wanted column of any rank is too far away.
 *
 * <p>Owned by one thread. A step takes O(ranks) for each range that it grows by.
 */
final class Stretches {

  private static final int MANY = 64;

  // constant after construction
  private final Section covering;
  private final int dimension;
  private final List<Range> wanted;
  private final long max;

  /** The first column that is not yet in a stretch. */
  private long at;

  Stretches(Geometry array, DomainTable table, Gaps gaps) {
    this.covering = table.covering();
    int n = covering.dimensions() - 1;
    while (n > 0 && covering.range(array.shape().fastest(n)).count() < 2) {
      n--;
    }
    this.dimension = array.shape().fastest(n);
    this.wanted = new ArrayList<>();
    for (Section row : table.rows()) {
      if (!row.isEmpty() && !wanted.contains(row.range(dimension))) {
        wanted.add(row.range(dimension));
      }
    }
    Range columns = covering.range(dimension);
    this.at = columns.lower();
    this.max = columns.stride() * (isDense() ? columns.count() : unwantedColumns(array, gaps));
  }

  /** Whether so many ranges want so much that looking for gaps would cost more than it saves. */
  private boolean isDense() {
    long count = 0;
    for (Range one : wanted) {
      count += one.count();
    }
    return wanted.size() > MANY && count >= covering.range(dimension).count();
  }

  /** How many columns are cheaper to transfer than to leave out. */
  private long unwantedColumns(Geometry array, Gaps gaps) {
    if (covering.isEmpty() || covering.range(dimension).count() < 2) {
      return 0;
    }
    List<Range> two = new ArrayList<>(covering.ranges());
    Range columns = covering.range(dimension);
    two.set(
        dimension,
        new Range(columns.lower(), columns.lower() + columns.stride(), columns.stride()));
    List<Range> one = new ArrayList<>(two);
    one.set(dimension, Range.at(columns.lower()));
    long pitch =
        SectionPacking.of(array, new Section(two), gaps.listBytes()).bytes()
            - SectionPacking.of(array, new Section(one), gaps.listBytes()).bytes();
    return Math.min(gaps.transferBytes() / pitch, columns.count());
  }

  boolean hasNext() {
    return !covering.isEmpty() && at <= covering.range(dimension).upper();
  }

  Section next() {
    Range columns = covering.range(dimension);
    long first = at;
    long last = endOfRanges(first);
    long following = wantedBehind(last);
    while (following >= 0 && following - last - columns.stride() <= max) {
      last = endOfRanges(following);
      following = wantedBehind(last);
    }
    at = following < 0 ? columns.upper() + 1 : following;
    List<Range> ranges = new ArrayList<>(covering.ranges());
    ranges.set(dimension, new Range(first, last, columns.stride()));
    return new Section(ranges);
  }

  /** Up to which column ranges with short gaps of their own go on from a wanted one. */
  private long endOfRanges(long column) {
    long end = column;
    for (Range one : wanted) {
      boolean passes = one.lower() <= column && column <= one.upper();
      if (passes && one.stride() - covering.range(dimension).stride() <= max) {
        end = Math.max(end, one.upper());
      }
    }
    return end;
  }

  /** The next column that a rank wants; -1 if there is none. */
  private long wantedBehind(long column) {
    long next = -1;
    for (Range one : wanted) {
      long candidate =
          column < one.lower()
              ? one.lower()
              : column - (column - one.lower()) % one.stride() + one.stride();
      if (candidate <= one.upper() && (next < 0 || candidate < next)) {
        next = candidate;
      }
    }
    return next;
  }
}
