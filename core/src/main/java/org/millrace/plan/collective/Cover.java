package org.millrace.plan.collective;

import java.util.IdentityHashMap;
import java.util.Map;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Indexed;
import org.millrace.access.Loop;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.Run;
import org.millrace.access.Sequence;
import org.millrace.access.View;

/**
 * The number of bytes and pieces of a read that includes gaps shorter than a limit. Computed from
 * the loops in O(depth): exact for whole ascending patterns, an estimate for parts of tiles and for
 * patterns that do not ascend. Immutable.
 *
 * @param bytes read in all
 * @param pieces between which gaps are left out
 */
record Cover(long bytes, long pieces) {

  static final Cover NOTHING = new Cover(0, 0);

  /** How many units of some size the pieces lie in, if the gaps are not shorter than a unit. */
  long units(long unitBytes) {
    return pieces == 0 ? 0 : Math.ceilDiv(bytes, unitBytes) + pieces - 1;
  }

  /** How many runs an access has, neighbours of different tiles counted apart. */
  static long runs(Access access) {
    View view = access.view();
    if (access.isEmpty()) {
      return 0;
    }
    if (view.isContiguous()) {
      return 1;
    }
    double tiles = (double) access.size() / view.tile().size();
    return Math.max(1, (long) Math.ceil(tiles * view.tile().runCount()));
  }

  /** What an access reads when gaps shorter than {@code gapBytes} are read along. */
  static Cover of(Access access, long gapBytes) {
    if (access.isEmpty()) {
      return NOTHING;
    }
    Extent span = access.span();
    View view = access.view();
    if (view.isContiguous()) {
      return new Cover(span.length(), 1);
    }
    long turns = Math.ceilDiv(access.size(), view.tile().size());
    Cover tile = of(view.tile(), gapBytes, new IdentityHashMap<>());
    long tileSpan = view.tile().end() - view.tile().first();
    Cover all = tile.repeated(turns, view.tileExtent(), tileSpan, gapBytes);
    double part = access.size() / ((double) view.tile().size() * turns);
    long bytes = (long) Math.ceil(all.bytes * part);
    return new Cover(
        Math.clamp(bytes, Math.min(access.size(), span.length()), span.length()),
        Math.max(1, (long) (all.pieces * part)));
  }

  /** Of a whole pattern; children that are shared are looked at once. */
  private static Cover of(Pattern pattern, long gapBytes, Map<Pattern, Cover> known) {
    Cover before = known.get(pattern);
    if (before != null) {
      return before;
    }
    Cover cover =
        switch (pattern) {
          case Run run -> new Cover(run.length(), Math.min(1, run.length()));
          case Loop loop ->
              of(loop.body(), gapBytes, known)
                  .repeated(
                      loop.count(),
                      Math.abs(loop.stride()),
                      loop.body().end() - loop.body().first(),
                      gapBytes);
          case Sequence list -> ofSequence(list, gapBytes, known);
          case Indexed list -> ofIndexed(list, gapBytes);
          default -> throw new IllegalStateException("unknown pattern " + pattern);
        };
    known.put(pattern, cover);
    return cover;
  }

  private Cover repeated(long turns, long stride, long span, long gapBytes) {
    long gap = stride - span;
    if (turns <= 1) {
      return this;
    }
    if (gap < 0) {
      // Turns lie within each other: the pieces grow rather than become more.
      return new Cover(Math.min(bytes * turns, span + (turns - 1) * stride), pieces);
    }
    return gap < gapBytes
        ? new Cover(bytes * turns + (turns - 1) * gap, (pieces - 1) * turns + 1)
        : new Cover(bytes * turns, pieces * turns);
  }

  private static Cover ofSequence(Sequence list, long gapBytes, Map<Pattern, Cover> known) {
    long bytes = 0;
    long pieces = 0;
    long end = Long.MIN_VALUE;
    for (Placed child : list.children()) {
      Cover one = of(child.pattern(), gapBytes, known);
      long start = child.displacement() + child.pattern().first();
      boolean joins = end != Long.MIN_VALUE && start >= end && start - end < gapBytes;
      bytes += one.bytes + (joins ? start - end : 0);
      pieces += one.pieces - (joins ? 1 : 0);
      end = child.displacement() + child.pattern().end();
    }
    return new Cover(Math.min(bytes, list.end() - list.first()), pieces);
  }

  private static Cover ofIndexed(Indexed list, long gapBytes) {
    long bytes = 0;
    long pieces = 0;
    long end = Long.MIN_VALUE;
    for (int i = 0; i < list.entries(); i++) {
      long start = list.offset(i);
      boolean joins = end != Long.MIN_VALUE && start >= end && start - end < gapBytes;
      bytes += list.length(i) + (joins ? start - end : 0);
      pieces += joins ? 0 : 1;
      end = start + list.length(i);
    }
    return new Cover(Math.min(bytes, list.end() - list.first()), pieces);
  }
}
