package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.millrace.access.Indexed;
import org.millrace.access.Loop;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.Sequence;

/**
 * Proves that the patterns of different owners are disjoint, by removing one loop after the other
 * from all of them; see {@link Overlaps}. It only ever enlarges patterns, so a proof is always
 * valid.
 *
 * <p>Owned by one thread; keeps count of its work and gives up when that becomes much.
 */
final class DisjointLoops {

  /** Items that may be looked at in all; index lists and ragged edges make several of one. */
  private static final int MAX_ITEMS = 1 << 17;

  private int looked;

  /** How many items were looked at: what must not grow with the number of runs. */
  int looked() {
    return looked;
  }

  /** The heaps of items, sorted by start, whose spans meet and that have several owners. */
  static List<List<OwnedPattern>> heaps(List<OwnedPattern> sorted) {
    List<List<OwnedPattern>> heaps = new ArrayList<>();
    int from = 0;
    while (from < sorted.size()) {
      long end = sorted.get(from).high();
      int to = from + 1;
      boolean several = false;
      while (to < sorted.size() && sorted.get(to).low() < end) {
        several |= sorted.get(to).owner() != sorted.get(from).owner();
        end = Math.max(end, sorted.get(to).high());
        to++;
      }
      if (several) {
        heaps.add(sorted.subList(from, to));
      }
      from = to;
    }
    return heaps;
  }

  /** Whether it can be shown that items of different owners are apart. */
  boolean isApart(List<OwnedPattern> heap) {
    looked += heap.size();
    if (looked > MAX_ITEMS) {
      return false;
    }
    List<OwnedPattern> items = new ArrayList<>();
    boolean opened = false;
    for (OwnedPattern one : heap) {
      opened |= open(one, items);
      if (items.size() > MAX_ITEMS) {
        return false;
      }
    }
    if (opened) {
      return areHeapsApart(items);
    }
    long circle = circleOf(heap);
    return circle > 0 && areHeapsApart(bent(heap, circle));
  }

  private boolean areHeapsApart(List<OwnedPattern> items) {
    items.sort(Comparator.comparingLong(OwnedPattern::low));
    for (List<OwnedPattern> heap : heaps(items)) {
      if (!isApart(heap)) {
        return false;
      }
    }
    return true;
  }

  /** Takes lists apart, so that a part can be elsewhere than the whole. Whether it was one. */
  private static boolean open(OwnedPattern item, List<OwnedPattern> into) {
    if (item.pattern() instanceof Sequence list) {
      for (Placed child : list.children()) {
        into.add(
            new OwnedPattern(item.owner(), child.pattern(), item.base() + child.displacement()));
      }
      return true;
    }
    if (item.pattern() instanceof Indexed list) {
      for (int i = 0; i < list.entries() && into.size() <= MAX_ITEMS; i++) {
        Pattern run = Pattern.run(list.length(i));
        into.add(new OwnedPattern(item.owner(), run, item.base() + list.offset(i)));
      }
      return true;
    }
    into.add(item);
    return false;
  }

  /** A circle on which every item, without its outermost loop, finds room; 0 if there is none. */
  private static long circleOf(List<OwnedPattern> heap) {
    long circle = 0;
    for (OwnedPattern one : heap) {
      if (one.pattern() instanceof Loop loop) {
        circle = gcd(circle, Math.abs(loop.stride()));
      }
    }
    for (OwnedPattern one : heap) {
      Pattern left = one.pattern() instanceof Loop loop ? loop.body() : one.pattern();
      if (left.end() - left.first() > circle) {
        return 0;
      }
    }
    return circle;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Everything on the circle, cut open at 0; what lies across the cut is there twice. */
  private static List<OwnedPattern> bent(List<OwnedPattern> heap, long circle) {
    List<OwnedPattern> items = new ArrayList<>(heap.size());
    for (OwnedPattern one : heap) {
      Pattern left = one.pattern() instanceof Loop loop ? loop.body() : one.pattern();
      long low = Math.floorMod(one.base() + left.first(), circle);
      OwnedPattern bent = new OwnedPattern(one.owner(), left, 0).startingAt(low);
      items.add(bent);
      if (bent.high() > circle) {
        items.add(bent.startingAt(low - circle));
      }
    }
    return items;
  }
}
