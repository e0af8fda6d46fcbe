package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.group.AccessRuns;

/**
 * Finds out whether different ranks may want the same byte. "No" is certain; "yes" may mean that it
 * could not be excluded cheaply. Bytes that one rank selects twice do not count. Holds no state.
 *
 * <p>How it works: what the ranks want is a set of items, each a pattern at a place. Items whose
 * spans do not meet are apart; sorted by start, they fall into heaps of items that may meet. Within
 * a heap of strided items take T, the greatest common divisor of the outermost strides, and put
 * every item on a circle of T bytes: a loop becomes its body, for all its turns lie on each other.
 * Items that are apart on the circle are apart in the file. So each step takes one loop from all
 * items, and for block, cyclic and block-cyclic parts of arrays with any number of dimensions the
 * answer is found in O(ranks * dimensions), without looking at pairs of ranks:
 *
 * <pre>
 *   rank 0   ##....##....##....      on the circle   ##....
 *   rank 1   ..##....##....##..      of 6 bytes      ..##..
 *   rank 2   ....##....##....##                      ....##
 * </pre>
 *
 * Where this shows nothing, a few pairs of short ascending accesses are intersected.
 */
public final class Overlaps {

  /** More pairs than this, times their runs, are not intersected. */
  private static final long MAX_STEPS = 1 << 14;

  private Overlaps() {}

  /** Whether different ranks may want the same byte. */
  public static boolean between(List<Access> accesses) {
    return between(accesses, new DisjointLoops());
  }

  static boolean between(List<Access> accesses, DisjointLoops circle) {
    if (accesses instanceof AccessRuns those && isApartByRuns(those.runs(), circle)) {
      return false;
    }
    List<Access> wanted = accesses.stream().filter(one -> !one.isEmpty()).toList();
    if (wanted.size() < 2) {
      return false;
    }
    List<OwnedPattern> items = new ArrayList<>();
    for (int owner = 0; owner < wanted.size(); owner++) {
      items.add(item(owner, wanted.get(owner)));
    }
    items.sort(Comparator.comparingLong(OwnedPattern::low));
    if (DisjointLoops.heaps(items).isEmpty()) {
      return false;
    }
    if (isCertain(wanted)) {
      return true;
    }
    List<OwnedPattern> unclear = new ArrayList<>();
    for (List<OwnedPattern> heap : DisjointLoops.heaps(items)) {
      if (!circle.isApart(heap)) {
        unclear.addAll(heap);
      }
    }
    if (unclear.isEmpty()) {
      return false;
    }
    Set<Integer> owners = new HashSet<>();
    unclear.forEach(one -> owners.add(one.owner()));
    return !isApartByPairs(owners.stream().map(wanted::get).toList());
  }

  /**
   * Whether it can be shown by looking at runs of ranks that want alike, each as one pattern: no
   * byte is twice in any of them, and they are apart from each other.
   */
  private static boolean isApartByRuns(List<AccessRuns.Run> runs, DisjointLoops circle) {
    List<OwnedPattern> items = new ArrayList<>();
    for (int owner = 0; owner < runs.size(); owner++) {
      AccessRuns.Run run = runs.get(owner);
      if (!run.first().isEmpty()) {
        OwnedPattern first = item(owner, run.first());
        try {
          Pattern all = Pattern.loop(run.count(), run.step(), first.pattern());
          if (run.count() > 1 && !all.isAscending() && !all.isClearlyDisjoint()) {
            return false;
          }
          items.add(new OwnedPattern(owner, all, first.base()).cutTo(run.span()));
        } catch (IllegalArgumentException e) { // too large or too deep for a pattern
          return false;
        }
      }
    }
    items.sort(Comparator.comparingLong(OwnedPattern::low));
    for (List<OwnedPattern> heap : DisjointLoops.heaps(items)) {
      if (!circle.isApart(heap)) {
        return false;
      }
    }
    return true;
  }

  /** More bytes than there are, or the same request twice. */
  private static boolean isCertain(List<Access> wanted) {
    long low = Long.MAX_VALUE;
    long high = 0;
    double sum = 0;
    boolean ascending = true;
    for (Access one : wanted) {
      Extent span = one.span();
      low = Math.min(low, span.offset());
      high = Math.max(high, span.end());
      sum += one.size();
      ascending &= one.view().isAscending();
    }
    // A rank whose view does not ascend may count a byte twice: then there are none too many.
    return (ascending && sum > (high - low) * 1.000001)
        || new HashSet<>(wanted).size() < wanted.size();
  }

  /** All of an access as one pattern: whole tiles, which may be more than it wants. */
  private static OwnedPattern item(int owner, Access access) {
    Extent span = access.span();
    View view = access.view();
    if (view.isContiguous()) {
      return new OwnedPattern(owner, Pattern.run(span.length()), span.offset());
    }
    long size = view.tile().size();
    long turn = access.from() / size;
    long turns = (access.to() - 1) / size - turn + 1;
    long base = view.displacement() + turn * view.tileExtent();
    try {
      Pattern tiles = Pattern.loop(turns, view.tileExtent(), view.tile());
      return new OwnedPattern(owner, tiles, base).cutTo(span);
    } catch (IllegalArgumentException e) {
      // Too large or too deep for a pattern.
      return new OwnedPattern(owner, Pattern.run(span.length()), span.offset());
    }
  }

  private static boolean isApartByPairs(List<Access> some) {
    long pairs = some.size() * (some.size() - 1L) / 2;
    if (pairs > MAX_STEPS) {
      return false;
    }
    long steps = 0;
    for (Access one : some) {
      if (!one.view().isAscending()) {
        return false;
      }
      steps += Math.min(MAX_STEPS, Cover.runs(one)) * some.size();
    }
    if (steps > MAX_STEPS) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      for (int j = i + 1; j < some.size(); j++) {
        Access a = some.get(i);
        Access b = some.get(j);
        if (a.view().intersect(a.from(), a.to(), b.view(), b.from(), b.to()).next()) {
          return false;
        }
      }
    }
    return true;
  }
}
