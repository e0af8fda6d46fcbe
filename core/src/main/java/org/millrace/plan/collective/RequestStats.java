package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Loop;
import org.millrace.access.Pattern;
import org.millrace.access.View;

/**
 * Counts the runs, bytes and blocks of a request, rank by rank, by arithmetic on the patterns.
 * Immutable.
 *
 * <p>The union of several ranks' accesses is estimated: equal accesses count once, accesses that
 * differ by whole strides share what they have in common, and all others are assumed to be
 * disjoint. The union never exceeds the span.
 */
final class RequestStats {

  // constant after construction
  private final Request request;
  private final Extent span;
  private final Map<Access, Long> distinct = new LinkedHashMap<>();
  private final long runs;

  RequestStats(Request request) {
    this.request = request;
    this.span = request.span();
    long all = 0;
    for (Access one : request.accesses()) {
      if (!one.isEmpty()) {
        distinct.merge(one, 1L, Long::sum);
        all += Cover.runs(one);
      }
    }
    this.runs = all;
  }

  Request request() {
    return request;
  }

  Extent span() {
    return span;
  }

  /** The runs of all ranks. */
  long runs() {
    return runs;
  }

  /** The sum of what each rank covers when it reads gaps up to a length along. */
  Cover each(long gapBytes) {
    // Doubles: many ranks may want all of a file that is as large as can be.
    double bytes = 0;
    double pieces = 0;
    for (Map.Entry<Access, Long> one : distinct.entrySet()) {
      Cover cover = Cover.of(one.getKey(), gapBytes);
      bytes += (double) cover.bytes() * one.getValue();
      pieces += (double) cover.pieces() * one.getValue();
    }
    return new Cover((long) bytes, (long) pieces);
  }

  /** How many units of a size the ranks touch, each rank counted separately. */
  long touches(long unitBytes) {
    double units = 0;
    for (Map.Entry<Access, Long> one : distinct.entrySet()) {
      units += (double) Cover.of(one.getKey(), unitBytes).units(unitBytes) * one.getValue();
    }
    return (long) units;
  }

  /** The union of what all ranks cover. */
  Cover together(long gapBytes) {
    Map<Family, List<Access>> families = new HashMap<>();
    for (Access one : distinct.keySet()) {
      families.computeIfAbsent(Family.of(one), _ -> new ArrayList<>()).add(one);
    }
    double bytes = 0;
    double pieces = 0;
    for (Map.Entry<Family, List<Access>> one : families.entrySet()) {
      Cover cover = one.getKey().cover(one.getValue(), gapBytes);
      bytes += cover.bytes();
      pieces += cover.pieces();
    }
    if (bytes >= span.length()) {
      return new Cover(span.length(), Math.min(1, span.length()));
    }
    double room = (span.length() - bytes) / Math.max(1, gapBytes) + 1;
    return new Cover((long) bytes, (long) Math.min(pieces, room));
  }

  /** The number of nodes that hold parts of the file. */
  int nodes() {
    Set<Integer> nodes = new HashSet<>(request.layout().nodes());
    return nodes.size();
  }

  /**
   * Accesses with the same body at the same stride, some whole strides apart. Others are families
   * of one.
   */
  private record Family(Object kind, long stride, long residue) {

    static Family of(Access access) {
      View view = access.view();
      boolean isTile = access.from() == 0 && access.to() == view.tile().size();
      return isTile && view.tile() instanceof Loop loop && loop.stride() > 0
          ? new Family(loop.body(), loop.stride(), view.displacement() % loop.stride())
          : new Family(access, 0, 0);
    }

    Cover cover(List<Access> members, long gapBytes) {
      double bytes = 0;
      double pieces = 0;
      double density = 0;
      double pieceDensity = 0;
      long low = Long.MAX_VALUE;
      long high = 0;
      for (Access one : members) {
        Cover cover = Cover.of(one, gapBytes);
        Extent span = one.span();
        bytes += cover.bytes();
        pieces += cover.pieces();
        low = Math.min(low, span.offset());
        high = Math.max(high, span.end());
        double rounded = span.length() + gap();
        density = Math.max(density, cover.bytes() / rounded);
        pieceDensity = Math.max(pieceDensity, cover.pieces() / rounded);
      }
      double rounded = high - low + gap();
      return new Cover(
          Math.round(Math.min(bytes, density * rounded)),
          Math.max(1, Math.round(Math.min(pieces, pieceDensity * rounded))));
    }

    /** What lies between two turns, so that turns can be counted by dividing. */
    private double gap() {
      return kind instanceof Pattern body ? Math.max(0, stride - (body.end() - body.first())) : 0;
    }
  }
}
