package org.millrace.access;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * A pattern as pieces: a piece is one run under all loops around it. There are as many as the
 * pattern has leaves, however often their loops turn.
 *
 * <p>Piece a begins at a's start plus the sum of {@code n(i) * stride(i)} with {@code 0 <= n(i) <
 * count(i)}. Two runs of {@code l} and {@code m} bytes have a byte in common if and only if the
 * second begins less than {@code l} bytes behind, or less than {@code m} bytes before, the first.
 * So a pattern selects a byte twice if and only if
 *
 * <ul>
 *   <li>one piece meets itself: for some {@code n}, not all 0, with {@code |n(i)| < count(i)}, the
 *       sum lies within {@code (-l, l)}. If n is such a one, so is -n: it is enough to look for
 *       those whose first number that is not 0 is positive, one loop after the other. Shorter runs
 *       of the same loops meet only if the longest does.
 *   <li>or two pieces meet: for some n of the first and m of the second, whatever they are. The
 *       difference of the starts is again a sum of strides, with n from 0 up and m from 0 down.
 * </ul>
 *
 * Both are questions to {@link StrideSums}. The second is not asked of all pairs. Pieces whose
 * hulls are apart do not meet. Nor do pieces that are apart modulo g, if all their strides are
 * multiples of g: one walk around the circle of g bytes finds those that are not. If all have one
 * loop, of stride g, what is left is a rectangle for each piece, its bytes on the circle times the
 * turns that it takes, and two pieces meet if and only if their rectangles do: a sweep with a tree
 * finds out whether any two do, since until then those in the tree are ordered.
 *
 * <p>Owned by one thread.
 */
final class Pieces {

  /** How many there may be: patterns that share parts can have more of them than memory holds. */
  private static final int MAX_PIECES = 1 << 23;

  /** How many pairs are compared, and steps taken inside comparisons; some seconds. */
  private static final long MAX_STEPS = 1 << 21;

  /** The loops around a run: strides are positive and ascend. */
  private record Steps(long[] counts, long[] strides, long reach) {}

  /** A run under its loops, the first of which begins at {@code start}. */
  private record Piece(long start, long length, Steps steps) {

    long end() {
      return start + steps.reach + length;
    }
  }

  /** Bytes of a piece on the circle, in one piece; {@code turn} is how often it went round. */
  private record Arc(long from, long to, long turn, Piece piece) {}

  // the walk: loops around the node that is visited
  private final long[] counts = new long[Pattern.MAX_DEPTH + 1];
  private final long[] strides = new long[Pattern.MAX_DEPTH + 1];
  private int depth;

  private final List<Piece> pieces = new ArrayList<>();
  private final Budget budget = new Budget(MAX_STEPS);

  private Pieces() {}

  /** Tells whether a node that is repeated selects a byte twice. */
  static Disjointness test(PatternNode node, long count, long stride) {
    Pieces all = new Pieces();
    try {
      all.loop(node, count, stride, 0);
      return all.areDisjoint() ? Disjointness.DISJOINT : Disjointness.OVERLAPPING;
    } catch (Budget.SpentException e) {
      return Disjointness.UNDECIDED;
    }
  }

  private void visit(PatternNode node, long at) {
    switch (node) {
      case Run run -> add(at, run.size, steps());
      case Loop loop -> loop(loop.body, loop.count, loop.stride, at);
      case Sequence list -> {
        for (int i = 0; i < list.nodes.length; i++) {
          visit(list.nodes[i], at + list.displacements[i]);
        }
      }
      case Indexed list -> {
        Steps steps = steps();
        for (int i = 0; i < list.offsets.length; i++) {
          add(at + list.offsets[i], list.length(i), steps);
        }
      }
    }
  }

  private void loop(PatternNode body, long count, long stride, long at) {
    if (count == 1) {
      visit(body, at);
      return;
    }
    counts[depth] = count;
    strides[depth] = Math.abs(stride);
    depth++;
    visit(body, stride < 0 ? at + (count - 1) * stride : at);
    depth--;
  }

  private void add(long start, long length, Steps steps) {
    if (pieces.size() == MAX_PIECES) {
      throw new Budget.SpentException();
    }
    pieces.add(new Piece(start, length, steps));
  }

  private Steps steps() {
    long[] sortedCounts = new long[depth];
    long[] sortedStrides = new long[depth];
    long reach = 0;
    for (int i = 0; i < depth; i++) {
      int place = i;
      for (; place > 0 && sortedStrides[place - 1] > strides[i]; place--) {
        sortedStrides[place] = sortedStrides[place - 1];
        sortedCounts[place] = sortedCounts[place - 1];
      }
      sortedStrides[place] = strides[i];
      sortedCounts[place] = counts[i];
      reach += (counts[i] - 1) * strides[i];
    }
    return new Steps(sortedCounts, sortedStrides, reach);
  }

  private boolean areDisjoint() {
    Map<Steps, Long> longest = new IdentityHashMap<>();
    pieces.forEach(one -> longest.merge(one.steps, one.length, Math::max));
    for (Map.Entry<Steps, Long> one : longest.entrySet()) {
      if (meetsItself(one.getKey(), one.getValue())) {
        return false;
      }
    }
    pieces.sort(Comparator.comparingLong(Piece::start));
    int first = 0;
    while (first < pieces.size()) {
      long end = pieces.get(first).end();
      int next = first + 1;
      for (; next < pieces.size() && pieces.get(next).start < end; next++) {
        end = Math.max(end, pieces.get(next).end());
      }
      if (next - first > 1 && !areApart(pieces.subList(first, next))) {
        return false;
      }
      first = next;
    }
    return true;
  }

  private boolean meetsItself(Steps steps, long length) {
    for (int k = 0; k < steps.strides.length; k++) {
      long stride = steps.strides[k];
      if (stride < length) {
        return true;
      }
      StrideSums sums = new StrideSums(budget);
      sums.add(stride, 0, steps.counts[k] - 2); // beside the one that is taken for sure
      for (int i = k + 1; i < steps.strides.length; i++) {
        sums.add(steps.strides[i], 1 - steps.counts[i], steps.counts[i] - 1);
      }
      if (sums.reach(1 - length - stride, length - 1 - stride)) {
        return true;
      }
    }
    return false;
  }

  /** Whether pieces whose hulls overlap, by ascending start, have no byte in common. */
  private boolean areApart(List<Piece> some) {
    long circle = 0;
    for (Piece one : some) {
      for (long stride : one.steps.strides) {
        circle = StrideSums.gcd(circle, stride);
      }
    }
    if (circle == 0) {
      return false; // plain runs
    }
    List<Arc> arcs = arcs(some, circle);
    arcs.sort(Comparator.comparingLong(Arc::from));
    long g = circle;
    return some.stream().allMatch(one -> isPlainLoop(one.steps, g)) ? areOrdered(arcs) : tryPairs(arcs);
  }

  private static boolean isPlainLoop(Steps steps, long stride) {
    return steps.strides.length == 0 || (steps.strides.length == 1 && steps.strides[0] == stride);
  }

  private static List<Arc> arcs(List<Piece> some, long circle) {
    List<Arc> arcs = new ArrayList<>();
    for (Piece one : some) {
      long from = Math.floorMod(one.start, circle);
      long turn = Math.floorDiv(one.start, circle);
      if (one.length > circle) {
        arcs.add(new Arc(0, circle, turn, one));
      } else if (one.length > circle - from) {
        arcs.add(new Arc(from, circle, turn, one));
        arcs.add(new Arc(0, one.length - (circle - from), turn + 1, one));
      } else {
        arcs.add(new Arc(from, from + one.length, turn, one));
      }
    }
    return arcs;
  }

  /** Sweeps over rectangles: arcs by ascending start, times the turns of the one loop. */
  private static boolean areOrdered(List<Arc> arcs) {
    TreeMap<Long, Long> turns = new TreeMap<>(); // of arcs that go on: the first and the last
    PriorityQueue<Arc> open = new PriorityQueue<>(Comparator.comparingLong(Arc::to));
    for (Arc arc : arcs) {
      while (!open.isEmpty() && open.peek().to <= arc.from) {
        turns.remove(open.remove().turn);
      }
      long[] counts = arc.piece.steps.counts;
      long last = arc.turn + (counts.length == 0 ? 0 : counts[0] - 1);
      Map.Entry<Long, Long> below = turns.floorEntry(last);
      if (below != null && below.getValue() >= arc.turn) {
        return false;
      }
      turns.put(arc.turn, last);
      open.add(arc);
    }
    return true;
  }

  /** Compares each two pieces that have an arc in common. */
  private boolean tryPairs(List<Arc> arcs) {
    List<Arc> open = new ArrayList<>();
    for (Arc arc : arcs) {
      open.removeIf(other -> other.to <= arc.from);
      for (Arc other : open) {
        budget.spend();
        if (other.piece != arc.piece && meet(other.piece, arc.piece)) {
          return false;
        }
      }
      open.add(arc);
    }
    return true;
  }

  private boolean meet(Piece a, Piece b) {
    if (a.end() <= b.start || b.end() <= a.start) {
      return false;
    }
    StrideSums sums = new StrideSums(budget);
    for (int i = 0; i < a.steps.strides.length; i++) {
      sums.add(a.steps.strides[i], 0, a.steps.counts[i] - 1);
    }
    for (int i = 0; i < b.steps.strides.length; i++) {
      sums.add(b.steps.strides[i], 1 - b.steps.counts[i], 0);
    }
    long apart = a.start - b.start;
    return sums.reach(
        StrideSums.minus(1 - a.length, apart), StrideSums.minus(b.length - 1, apart));
  }
}
