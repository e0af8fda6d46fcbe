package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Extent;

/**
 * How a disk-directed call is cut into rounds when ranks and nodes are in different processes, so
 * that no rank has more than a bounded number of bytes in one round: then its memory of a round
 * fits into what a request may carry. Every rank makes the same rounds of the same request.
 *
 * <p>Where all views ascend, a round is a range of the file, and nodes go through the file once.
 * Else each rank's positions are cut evenly; if ranks write the same bytes, rank after rank, so
 * that the highest rank's stay.
 *
 * <p>Immutable.
 */
public final class DirectRounds {

  /** Bytes of all ranks in one round, about; bounds what a node keeps for a call. */
  private static final long ALL_BYTES = 16 << 20;

  private static final long LEAST_BYTES = 64 << 10;
  private static final long MOST_BYTES = 2 << 20;

  private final List<List<Access>> rounds;

  private DirectRounds(List<List<Access>> rounds) {
    this.rounds = rounds;
  }

  /** The rounds of a request. */
  public static DirectRounds of(Request request, boolean overlapping) {
    int ranks = request.ranks();
    return of(
        request.accesses(), overlapping, Math.clamp(ALL_BYTES / ranks, LEAST_BYTES, MOST_BYTES));
  }

  static DirectRounds of(List<Access> accesses, boolean overlapping, long mostBytes) {
    long most = accesses.stream().mapToLong(Access::size).max().orElse(0);
    if (most <= mostBytes) {
      return new DirectRounds(List.of(accesses));
    }
    List<List<Access>> rounds = new ArrayList<>();
    if (accesses.stream().allMatch(one -> one.isEmpty() || one.view().isAscending())) {
      cutFile(accesses, mostBytes, rounds);
    } else if (overlapping) {
      for (int rank = 0; rank < accesses.size(); rank++) {
        List<Access> alone = new ArrayList<>();
        for (int other = 0; other < accesses.size(); other++) {
          alone.add(other == rank ? accesses.get(rank) : Access.NOTHING);
        }
        cutPositions(alone, Math.ceilDiv(accesses.get(rank).size(), mostBytes), rounds);
      }
    } else {
      cutPositions(accesses, Math.ceilDiv(most, mostBytes), rounds);
    }
    return new DirectRounds(List.copyOf(rounds));
  }

  private static void cutPositions(List<Access> accesses, long count, List<List<Access>> into) {
    for (long round = 0; round < count; round++) {
      List<Access> parts = new ArrayList<>();
      for (Access one : accesses) {
        long share = Math.ceilDiv(one.size(), count);
        long from = Math.min(one.to(), one.from() + round * share);
        parts.add(part(one, from, Math.min(one.to(), from + share)));
      }
      into.add(List.copyOf(parts));
    }
  }

  /** Halves ranges of the file until no rank has too much in one. */
  private static void cutFile(List<Access> accesses, long mostBytes, List<List<Access>> into) {
    long from = Long.MAX_VALUE;
    long to = 0;
    for (Access one : accesses) {
      if (!one.isEmpty()) {
        Extent span = one.span();
        from = Math.min(from, span.offset());
        to = Math.max(to, span.end());
      }
    }
    cutRange(accesses, from, to, mostBytes, into);
  }

  private static void cutRange(
      List<Access> accesses, long from, long to, long mostBytes, List<List<Access>> into) {
    List<Access> parts = new ArrayList<>();
    long most = 0;
    for (Access one : accesses) {
      Access part =
          one.isEmpty()
              ? Access.NOTHING
              : part(one, one.from() + one.below(from), one.from() + one.below(to));
      parts.add(part);
      most = Math.max(most, part.size());
    }
    if (most == 0) {
      return;
    }
    if (most <= mostBytes) {
      into.add(List.copyOf(parts));
      return;
    }
    long middle = from + (to - from) / 2;
    cutRange(parts, from, middle, mostBytes, into);
    cutRange(parts, middle, to, mostBytes, into);
  }

  private static Access part(Access whole, long from, long to) {
    return from == to ? Access.NOTHING : new Access(whole.view(), from, to);
  }

  /** How many rounds there are, at least one. */
  public int count() {
    return rounds.size();
  }

  /** What a rank moves in a round. */
  public Access access(int round, int rank) {
    return rounds.get(round).get(rank);
  }
}
