package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.layout.Layout;

/**
 * Finds out whether the ranks of a disk-directed call want every byte of a range of the file
 * exactly once. If so, a node can compute how many bytes of its strand will be requested, and so
 * knows when all ranks that want bytes of it have arrived; the other ranks need not take part.
 * Stateless.
 */
final class DirectTiling {

  /** On fewer strands each rank may as well speak to all, and needs no meeting at the end. */
  private static final int MIN_STRANDS = 32;

  /** Ranks must speak to one in so many of the strands, on average. */
  private static final long FEW = 2;

  /** Ranks that are asked how many strands they speak to. */
  private static final int SAMPLES = 8;

  private DirectTiling() {}

  /** Whether ranks of a call should speak to the strands that have something of theirs only. */
  static boolean pays(Request request) {
    Layout layout = request.layout();
    int strands = layout.strands();
    if (strands < MIN_STRANDS || request.size() != request.span().length()) {
      return false;
    }
    for (Access one : request.kinds()) {
      if (!one.isEmpty() && (!one.view().isAscending() || !one.view().isDisjoint())) {
        return false;
      }
    }
    return touches(request) <= strands / FEW && !Overlaps.between(request.accesses());
  }

  /** How many requests ranks send to strands, of which so many hold something wanted. */
  static long requests(Request request, int strands) {
    return request.ranks() * (pays(request) ? touches(request) : strands);
  }

  /** How many strands a rank speaks to, on the average of a few ranks. */
  private static long touches(Request request) {
    Layout layout = request.layout();
    int samples = Math.min(SAMPLES, request.ranks());
    long touches = 0;
    for (int i = 0; i < samples; i++) {
      Access one = request.accesses().get((int) ((long) i * request.ranks() / samples));
      if (!one.isEmpty()) {
        touches += layout.touch(one.view(), one.from(), one.to(), new boolean[layout.strands()]);
      }
    }
    return Math.ceilDiv(touches, samples);
  }

  /** The strands of a stretch of the file, ascending. */
  static List<Integer> strands(Layout layout, Extent span) {
    if (span.length() >= layout.strands() * layout.stripeUnitBytes()) {
      return new FirstStrands(layout.strands());
    }
    List<Integer> strands = new ArrayList<>();
    for (int s = 0; s < layout.strands(); s++) {
      if (layout.strandSize(s, span.end()) > layout.strandSize(s, span.offset())) {
        strands.add(s);
      }
    }
    return strands;
  }
}
