package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Finds out whether a pattern selects a byte twice. Holds no state. */
final class Disjoint {

  /** Up to so many runs are tried one by one when arithmetic gives no answer. */
  private static final long MAX_TRIED_RUNS = 1 << 20;

  private Disjoint() {}

  static boolean test(PatternNode node) {
    if (node.ascending) {
      return true;
    }
    if (node.size > node.span()) {
      return false;
    }
    return node.isClearlyDisjoint() || (node.runCount <= MAX_TRIED_RUNS && tryAll(node));
  }

  /**
   * Loops over loops over something disjoint: if, taken by growing stride, each stride clears what
   * the smaller ones span, then every byte has one address in mixed radix and none comes twice.
   */
  static boolean nested(Loop outermost) {
    List<Loop> loops = new ArrayList<>();
    PatternNode innermost = outermost;
    while (innermost instanceof Loop loop) {
      loops.add(loop);
      innermost = loop.body;
    }
    if (!innermost.ascending && !innermost.isClearlyDisjoint()) {
      return false;
    }
    loops.sort(Comparator.comparingLong(loop -> Math.abs(loop.stride)));
    long span = innermost.span();
    for (Loop loop : loops) {
      long stride = Math.abs(loop.stride);
      if (stride < span) {
        return false;
      }
      // No overflow: the pattern's own span was checked and is not smaller.
      span += stride * (loop.count - 1);
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

  private static boolean tryAll(PatternNode node) {
    int n = (int) node.runCount;
    long[] from = new long[n];
    long[] to = new long[n];
    int i = 0;
    Runs runs = node.runs(0, node.size);
    while (runs.next()) {
      for (long k = 0; k < runs.count(); k++) {
        from[i] = runs.offset() + k * runs.stride();
        to[i++] = from[i - 1] + runs.length();
      }
    }
    return intervals(from, to);
  }
}
