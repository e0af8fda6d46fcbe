package org.millrace.access;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

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
 * Both are questions to {@link StrideSums}. The second is not asked of all pairs: pieces whose
 * hulls are apart do not meet, and {@link PieceSweep} finds out more about the others.
 *
 * <p>Owned by one thread.
 */
final class Pieces {

  /** How many there may be: patterns that share parts can have more of them than memory holds. */
  private static final int MAX_PIECES = 1 << 23;

  /** How many pairs are compared, and steps taken inside comparisons; some seconds. */
  private static final long MAX_STEPS = 1 << 21;

  /** The loops around a run: strides ascend, and none is negative. Immutable. */
  static final class Steps {
    final long[] counts;
    final long[] strides;
    final long reach;

    Steps(long[] counts, long[] strides, long reach) {
      this.counts = counts;
      this.strides = strides;
      this.reach = reach;
    }
  }

  /** A run under its loops, the first of which begins at {@code start}. */
  record Piece(long start, long length, Steps steps) {

    long end() {
      return start + steps.reach + length;
    }
  }

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
      if (next - first > 1 && !new PieceSweep(budget, pieces.subList(first, next)).areApart()) {
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
}
