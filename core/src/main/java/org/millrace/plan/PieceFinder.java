package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;

/**
 * Finds what the ranks of a request want of extents of the file. For ascending views each question
 * is answered in O(depth); others are walked, comb by comb, as far as they touch the extent.
 *
 * <p>Owned by one thread: it keeps cursors.
 */
final class PieceFinder {

  // constant after construction
  private final List<Access> accesses;
  private final boolean[] ascending;
  private final boolean overlapping;

  /** For views that do not ascend; what {@link #walk} found. */
  private final Runs runs = new Runs();

  private long walkedLow;
  private long walkedHigh;

  /**
   * @param overlapping whether different ranks may want the same byte
   */
  PieceFinder(Request request, boolean overlapping) {
    this.accesses = request.accesses();
    this.overlapping = overlapping;
    this.ascending = new boolean[accesses.size()];
    for (int rank = 0; rank < ascending.length; rank++) {
      ascending[rank] = accesses.get(rank).view().isAscending();
    }
  }

  /** What all ranks want of an extent. */
  Pieces in(Extent extent) {
    List<Piece> list = new ArrayList<>();
    long sum = 0;
    boolean exact = true;
    boolean filledByOne = false;
    for (int rank = 0; rank < ascending.length; rank++) {
      Piece piece = piece(rank, extent);
      if (piece.bytes() > 0) {
        list.add(piece);
        sum += piece.bytes();
        exact &= ascending[rank];
        filledByOne |= ascending[rank] && piece.bytes() == extent.length();
      }
    }
    boolean disjoint = list.size() < 2 || !overlapping;
    boolean covered = filledByOne || (exact && disjoint && sum == extent.length());
    return new Pieces(extent, list, covered && !extent.isEmpty(), disjoint);
  }

  /** What one rank wants of an extent, nothing perhaps. */
  Piece piece(int rank, Extent extent) {
    Access access = accesses.get(rank);
    if (access.isEmpty() || extent.isEmpty()) {
      return new Piece(rank, access.from(), access.from(), 0);
    }
    if (ascending[rank]) {
      long from = access.from() + access.below(extent.offset());
      long to = access.from() + access.below(extent.end());
      return new Piece(rank, from, to, to - from);
    }
    long bytes = walk(access, extent.offset(), extent.end());
    return new Piece(rank, access.from(), bytes == 0 ? access.from() : access.to(), bytes);
  }

  /** The smallest extent that holds what all ranks want of this one; empty at its end if none. */
  Extent trim(Extent extent) {
    long low = extent.end();
    long high = extent.offset();
    for (int rank = 0; rank < ascending.length; rank++) {
      Extent one = trim(rank, extent);
      if (!one.isEmpty()) {
        low = Math.min(low, one.offset());
        high = Math.max(high, one.end());
      }
    }
    return low < high ? Extent.between(low, high) : new Extent(extent.end(), 0);
  }

  /** The smallest extent that holds what one rank wants of this one. */
  Extent trim(int rank, Extent extent) {
    Access access = accesses.get(rank);
    if (access.isEmpty() || extent.isEmpty()) {
      return new Extent(extent.offset(), 0);
    }
    if (ascending[rank]) {
      long from = access.from() + access.below(extent.offset());
      long to = access.from() + access.below(extent.end());
      return from == to
          ? new Extent(extent.offset(), 0)
          : Extent.between(access.view().offsetOf(from), access.view().offsetOf(to - 1) + 1);
    }
    return walk(access, extent.offset(), extent.end()) == 0
        ? new Extent(extent.offset(), 0)
        : Extent.between(walkedLow, walkedHigh);
  }

  /** Goes through the combs inside an extent; returns their bytes and keeps their bounds. */
  private long walk(Access access, long from, long to) {
    long bytes = 0;
    walkedLow = Long.MAX_VALUE;
    walkedHigh = 0;
    runs.reset(access.view(), access.from(), access.to(), from, to);
    while (runs.next()) {
      long last = runs.offset() + (runs.count() - 1) * runs.stride();
      bytes += runs.count() * runs.length();
      walkedLow = Math.min(walkedLow, Math.min(runs.offset(), last));
      walkedHigh = Math.max(walkedHigh, Math.max(runs.offset(), last) + runs.length());
    }
    return bytes;
  }
}
