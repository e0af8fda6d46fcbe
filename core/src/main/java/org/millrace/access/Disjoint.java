package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Tells whether a pattern selects a byte twice, by arithmetic on the pattern: nothing is flattened.
 *
 * <p>Cheap answers come first: a pattern that ascends is disjoint, one with more bytes than offsets
 * is not, and one whose strides nest is. All others go to {@link Pieces}, whose answers are exact,
 * too. Holds no state.
 */
final class Disjoint {

  /** What is known of a node that is repeated; kept with the node. */
  record Answer(long count, long stride, Disjointness it) {}

  private Disjoint() {}

  /**
   * Tells it of a node that is repeated.
   *
   * @param count how often, at least once; the offsets of all of them must fit into a {@code long}
   * @param stride from one to the next, not negative
   */
  static Disjointness test(PatternNode node, long count, long stride) {
    boolean apart = count == 1 || stride >= node.span();
    if (node.size == 0 || (apart && node.ascending)) {
      return Disjointness.DISJOINT;
    }
    if (apart && count > 1) {
      return test(node, 1, 0);
    }
    Answer known = node.answer;
    if (known == null || known.count != count || known.stride != stride) {
      known = new Answer(count, stride, decide(node, count, stride));
      node.answer = known; // a race only means that it is found twice
    }
    return known.it;
  }

  private static Disjointness decide(PatternNode node, long count, long stride) {
    long span = node.span() + (count - 1) * stride;
    if (count > span / node.size) { // more bytes than offsets
      return Disjointness.OVERLAPPING;
    }
    if (count == 1 ? node.isClearlyDisjoint() : nested(node, count, stride)) {
      return Disjointness.DISJOINT;
    }
    return Pieces.test(node, count, stride);
  }

  /** One loop of several. */
  private record Step(long count, long stride) {}

  /** As {@link #nested(PatternNode, long, long)}, of a loop. */
  static boolean nested(Loop loop) {
    return nested(loop.body, loop.count, loop.stride);
  }

  /**
   * Loops over loops over something disjoint: if, taken by growing stride, each stride clears what
   * the smaller ones span, then every byte has one address in mixed radix and none comes twice.
   */
  private static boolean nested(PatternNode body, long count, long stride) {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step(count, Math.abs(stride)));
    PatternNode innermost = body;
    while (innermost instanceof Loop loop) {
      steps.add(new Step(loop.count, Math.abs(loop.stride)));
      innermost = loop.body;
    }
    if (!innermost.ascending && !innermost.isClearlyDisjoint()) {
      return false;
    }
    steps.sort(Comparator.comparingLong(Step::stride));
    long span = innermost.span();
    for (Step step : steps) {
      if (step.stride < span) {
        return false;
      }
      // No overflow: the pattern's own span was checked and is not smaller.
      span += step.stride * (step.count - 1);
    }
    return true;
  }

  /**
   * Whether no two of the intervals overlap; sorts both arrays. They need not stay paired: a byte
   * in two intervals has two more starts than ends at or below it, however these are paired.
   */
  static boolean intervals(long[] from, long[] to) {
    Arrays.sort(from);
    Arrays.sort(to);
    for (int i = 1; i < from.length; i++) {
      if (to[i - 1] > from[i]) {
        return false;
      }
    }
    return true;
  }
}
