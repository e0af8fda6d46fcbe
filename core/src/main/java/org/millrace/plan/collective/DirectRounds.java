package org.millrace.plan.collective;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.layout.Layout;

/**
 * Divides a disk-directed call into rounds if ranks and nodes are in different processes, so that
 * no rank has more than a bounded number of bytes in one round: its memory of a round then fits
 * into a request, and what a node keeps until all ranks have arrived fits into its memory for
 * transfers. Every rank computes the same rounds for the same request, one at a time.
 *
 * <p>In a round all ranks have something to do, as far as that goes. Where all views ascend and all
 * ranks want something of most ranges of the file, a round is such a range, and nodes go through
 * the file once. Else each rank's positions are cut evenly. If ranks write the same bytes, rounds
 * are ranges of the file where views ascend, and rank after rank where they do not, so that the
 * highest rank's stay.
 *
 * <p>For one call of one rank; used by one thread.
 */
public final class DirectRounds implements Iterator<List<Access>> {

  /**
   * Bytes of all ranks at one node in one round. Where they travel a node has memory for the whole
   * of a rank's part and for what travels of it, in pieces of a power of two: at most twice this.
   * Two rounds are under way, and other jobs want memory, too.
   */
  private static final long ALL_BYTES = 4 << 20;

  /** A node's memory has no smaller pieces. */
  private static final long MIN_BYTES = 4 << 10;

  private static final long MAX_BYTES = 2 << 20;

  /** Ranges of the file that are looked at to see whether they keep the ranks busy. */
  private static final int SAMPLES = 16;

  /** A range of the file, and what the ranks want of it. */
  private record Range(long from, long to, List<Access> accesses) {}

  // constant after construction
  private final List<Access> accesses;
  private final long maxBytes;
  private final boolean byFile;
  private final boolean rankAfterRank;
  private final boolean ordered;

  // where the walk is: ranges still to be cut, or the rank whose turn it is and its next round
  private final ArrayDeque<Range> ranges = new ArrayDeque<>();
  private int rank;
  private long round;
  private @Nullable List<Access> next;
  private Extent nextExtent;
  private Extent extent;

  private DirectRounds(
      List<Access> accesses, boolean overlapping, boolean write, boolean once, long maxBytes) {
    this.accesses = accesses;
    this.maxBytes = maxBytes;
    boolean ascending = accesses.stream().allMatch(one -> one.isEmpty() || isAscending(one));
    boolean whole = max(accesses) <= maxBytes;
    Range range = wholeRange();
    this.byFile = ascending && !whole && (once || overlapping || areTogether(range));
    this.rankAfterRank = !ascending && !whole && overlapping;
    this.ordered =
        write
            && !ascending
            && (overlapping || accesses.stream().anyMatch(one -> !one.view().isDisjoint()));
    this.extent = range.to == 0 ? new Extent(0, 0) : Extent.between(range.from, range.to);
    this.nextExtent = extent;
    if (byFile) {
      ranges.push(range);
    }
    next = advance();
  }

  /**
   * The rounds of a request.
   *
   * @param once whether each round must be about an {@link #extent} of its own, if views ascend
   */
  public static DirectRounds of(Request request, boolean overlapping, boolean once) {
    return of(request, overlapping, once, maxBytes(request.ranks(), request.layout()));
  }

  /** The most that one of so many ranks moves in a round. */
  public static long maxBytes(int ranks, Layout layout) {
    long parts = (long) ranks * strandsOfOneNode(layout);
    return Long.highestOneBit(Math.clamp(ALL_BYTES / parts, MIN_BYTES, MAX_BYTES));
  }

  static DirectRounds of(Request request, boolean overlapping, boolean once, long maxBytes) {
    return new DirectRounds(request.accesses(), overlapping, request.write(), once, maxBytes);
  }

  /** How many strands the node has that has most of them: a rank's part goes to each. */
  private static int strandsOfOneNode(Layout layout) {
    Map<Integer, Integer> strands = new HashMap<>();
    layout.nodes().forEach(node -> strands.merge(node, 1, Integer::sum));
    return Collections.max(strands.values());
  }

  private static boolean isAscending(Access access) {
    return access.view().isAscending();
  }

  private static long max(List<Access> accesses) {
    return accesses.stream().mapToLong(Access::size).max().orElse(0);
  }

  /** Whether a round must have ended before the next begins: both may write the same bytes. */
  public boolean isOrdered() {
    return ordered;
  }

  @Override
  public boolean hasNext() {
    return next != null;
  }

  /** What each rank moves in the next round; there is at least one round. */
  @Override
  public List<Access> next() {
    List<Access> result = next;
    if (result == null) {
      throw new NoSuchElementException("there was the last round already");
    }
    extent = nextExtent;
    next = advance();
    return result;
  }

  /**
   * The part of the file that the last round returned by {@link #next} is about; the whole
   * request's where rounds are not ranges of the file.
   */
  public Extent extent() {
    return extent;
  }

  private @Nullable List<Access> advance() {
    if (byFile) {
      return nextOfFile();
    }
    return rankAfterRank ? nextOfRank() : nextOfAll();
  }

  private @Nullable List<Access> nextOfAll() {
    long count = Math.max(1, Math.ceilDiv(max(accesses), maxBytes));
    if (round == count) {
      return null;
    }
    List<Access> parts = new ArrayList<>(accesses.size());
    for (Access one : accesses) {
      parts.add(cut(one, Math.ceilDiv(one.size(), count)));
    }
    round++;
    return Collections.unmodifiableList(parts);
  }

  private @Nullable List<Access> nextOfRank() {
    while (rank < accesses.size() && round * maxBytes >= accesses.get(rank).size()) {
      rank++;
      round = 0;
    }
    if (rank == accesses.size()) {
      return null;
    }
    List<Access> parts = new ArrayList<>(Collections.nCopies(accesses.size(), Access.NOTHING));
    parts.set(rank, cut(accesses.get(rank), maxBytes));
    round++;
    return Collections.unmodifiableList(parts);
  }

  /** This round's share of an access whose rounds have {@code share} bytes each. */
  private Access cut(Access one, long share) {
    long from = Math.min(one.to(), one.from() + round * share);
    return part(one, from, Math.min(one.to(), from + share));
  }

  private Range wholeRange() {
    long from = Long.MAX_VALUE;
    long to = 0;
    for (Access one : accesses) {
      if (!one.isEmpty()) {
        Extent span = one.span();
        from = Math.min(from, span.offset());
        to = Math.max(to, span.end());
      }
    }
    return new Range(from, to, accesses);
  }

  /** Whether at least half of the ranks have something to do in rounds that are ranges. */
  private boolean areTogether(Range whole) {
    long busy = 0;
    long rounds = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long place = whole.from + (whole.to - whole.from) / SAMPLES * i;
      Range range = whole;
      while (max(range.accesses) > maxBytes) {
        long middle = middle(range);
        range =
            place < middle ? within(range, range.from, middle) : within(range, middle, range.to);
      }
      long its = busy(range.accesses);
      busy += its;
      rounds += its > 0 ? 1 : 0;
    }
    return 2 * busy >= rounds * busy(whole.accesses);
  }

  private static long busy(List<Access> accesses) {
    return accesses.stream().filter(one -> !one.isEmpty()).count();
  }

  private static long middle(Range range) {
    return range.from + (range.to - range.from) / 2;
  }

  /** Halves the first range until no rank has too much in it. */
  private @Nullable List<Access> nextOfFile() {
    while (!ranges.isEmpty()) {
      Range range = ranges.pop();
      long max = max(range.accesses);
      if (max > maxBytes) {
        long middle = middle(range);
        ranges.push(within(range, middle, range.to));
        ranges.push(within(range, range.from, middle));
      } else if (max > 0) {
        nextExtent = Extent.between(range.from, range.to);
        return range.accesses;
      }
    }
    return null;
  }

  private static Range within(Range whole, long from, long to) {
    List<Access> parts = new ArrayList<>(whole.accesses.size());
    for (Access one : whole.accesses) {
      parts.add(
          one.isEmpty()
              ? Access.NOTHING
              : part(one, one.from() + one.below(from), one.from() + one.below(to)));
    }
    return new Range(from, to, Collections.unmodifiableList(parts));
  }

  private static Access part(Access whole, long from, long to) {
    return from == to ? Access.NOTHING : new Access(whole.view(), from, to);
  }
}
