package org.millrace.cli.explain;

import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.plan.collective.PieceFinder;
import org.millrace.plan.collective.Request;

/** Finds the rank that requests a byte, for pictures. Owned by one thread: it keeps cursors. */
final class RequestedBytes {

  // constant after construction
  private final Request request;
  private final PieceFinder finder;

  RequestedBytes(Request request) {
    this.request = request;
    this.finder = new PieceFinder(request);
  }

  /**
   * The rank that wants a byte, or {@link TransferOwners#NOBODY} or {@link TransferOwners#SEVERAL}.
   */
  long rankAt(long offset) {
    long found = TransferOwners.NOBODY;
    for (int rank = 0; rank < request.ranks(); rank++) {
      if (wants(rank, offset)) {
        if (found != TransferOwners.NOBODY) {
          return TransferOwners.SEVERAL;
        }
        found = rank;
      }
    }
    return found;
  }

  boolean wants(int rank, long offset) {
    return finder.bytes(rank, new Extent(offset, 1)) > 0;
  }

  /** A number that is the same for the bytes of one run of the first rank that wants this one. */
  long runAt(long offset) {
    for (int rank = 0; rank < request.ranks(); rank++) {
      if (wants(rank, offset)) {
        Access access = request.accesses().get(rank);
        long position = access.view().isAscending() ? access.below(offset) : 0;
        return (offset - access.from() - position) * request.ranks() + rank;
      }
    }
    return TransferOwners.NOBODY;
  }

  /** Whether any rank wants a byte of an extent. */
  boolean wantsAny(Extent extent) {
    for (int rank = 0; rank < request.ranks(); rank++) {
      if (finder.bytes(rank, extent) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether a rank wants a byte, or reads it along with a gap between wanted bytes. */
  boolean passes(int rank, long offset, long gapBytes) {
    if (wants(rank, offset)) {
      return true;
    }
    Access access = request.accesses().get(rank);
    Extent span = access.span();
    if (offset < span.offset() || offset >= span.end()) {
      return false;
    }
    Extent before = finder.trim(rank, Extent.between(span.offset(), offset));
    Extent behind = finder.trim(rank, Extent.between(offset, span.end()));
    return !before.isEmpty() && !behind.isEmpty() && behind.offset() - before.end() < gapBytes;
  }
}
