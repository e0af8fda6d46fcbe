package org.millrace.access;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.millrace.access.Pieces.Piece;
import org.millrace.access.Pieces.Steps;

/**
 * Tells whether pieces whose hulls overlap have a byte in common. None of them meets itself.
 *
 * <ul>
 *   <li><b>One loop</b>, of stride g, is around each of them, or none is. Byte x has the place
 *       {@code x mod g} on a circle and the turn {@code x div g}. Under its loop a run takes a
 *       rectangle: its places, times the turns that the loop makes. (A run that ends beyond the
 *       circle's end is cut there; what is left begins a turn later.) Two pieces have a byte in
 *       common if and only if rectangles of theirs do. A sweep along the circle keeps the turns of
 *       those that are there in a tree; as long as no two overlap they are ordered, so a newcomer
 *       is compared with one neighbour.
 *   <li><b>The same loops</b> are around each of them: an irregular list that is repeated. Let one
 *       of the loops be as before. Two pieces meet under all loops if and only if one, moved by
 *       some difference of turns of the other loops, meets the other under this one. So the list is
 *       swept together with itself, moved by every such difference; of a difference and its
 *       opposite one is enough. The loop with the largest count is the one that is not spelled out.
 *   <li><b>Else</b> pairs are compared, if they share a place on a circle of g bytes, where g
 *       divides all strides: others cannot meet.
 * </ul>
 *
 * <p>Owned by one thread.
 */
final class PieceSweep {

  /** Hulls shorter than this can be moved by differences without leaving {@code long}. */
  private static final long MAX_MOVED = 1L << 60;

  /** Bytes of a piece on the circle, in the turns from the first to the last. */
  private record Arc(long from, long to, long turn, long lastTurn, Piece piece) {}

  private final Budget budget;
  private final List<Piece> pieces;

  /** For pieces by ascending start. */
  PieceSweep(Budget budget, List<Piece> pieces) {
    this.budget = budget;
    this.pieces = pieces;
  }

  boolean areApart() {
    long circle = 0;
    for (Piece one : pieces) {
      for (long stride : one.steps().strides) {
        circle = StrideSums.gcd(circle, stride);
      }
    }
    if (circle == 0) {
      return false; // plain runs
    }
    if (hasOneLoop(circle)) {
      return areOrdered(arcs(pieces, circle));
    }
    return isListThatMayBeMoved()
        ? areApartMoved(pieces.getFirst().steps())
        : tryPairs(arcs(pieces, circle));
  }

  /** Whether all are under the same loops, and moving them is less work than comparing pairs. */
  private boolean isListThatMayBeMoved() {
    Steps steps = pieces.getFirst().steps();
    return movements(steps) <= pieces.size() / 2
        && pieces.getFirst().start() > -MAX_MOVED
        && pieces.stream().allMatch(one -> one.steps() == steps && one.end() < MAX_MOVED);
  }

  private boolean hasOneLoop(long stride) {
    for (Piece one : pieces) {
      long[] strides = one.steps().strides;
      if (strides.length > 1 || (strides.length == 1 && strides[0] != stride)) {
        return false;
      }
    }
    return true;
  }

  /** Places on the circle; a run that goes round more than once has all of them in between. */
  private static List<Arc> arcs(List<Piece> some, long circle) {
    List<Arc> arcs = new ArrayList<>();
    for (Piece one : some) {
      long from = Math.floorMod(one.start(), circle);
      long turn = Math.floorDiv(one.start(), circle);
      long[] counts = one.steps().counts;
      long more = counts.length == 1 ? counts[0] - 1 : 0;
      long head = Math.min(one.length(), circle - from);
      arcs.add(new Arc(from, from + head, turn, turn + more, one));
      long rounds = (one.length() - head) / circle;
      if (rounds > 0) {
        arcs.add(new Arc(0, circle, turn + 1, turn + rounds + more, one));
      }
      long tail = one.length() - head - rounds * circle;
      if (tail > 0) {
        arcs.add(new Arc(0, tail, turn + rounds + 1, turn + rounds + 1 + more, one));
      }
    }
    arcs.sort(Comparator.comparingLong(Arc::from));
    return arcs;
  }

  private static boolean areOrdered(List<Arc> arcs) {
    TreeMap<Long, Long> turns = new TreeMap<>(); // of arcs that go on: the first and the last
    PriorityQueue<Arc> open = new PriorityQueue<>(Comparator.comparingLong(Arc::to));
    for (Arc arc : arcs) {
      for (Arc done = open.peek(); done != null && done.to <= arc.from; done = open.peek()) {
        open.remove();
        turns.remove(done.turn);
      }
      Map.Entry<Long, Long> below = turns.floorEntry(arc.lastTurn);
      if (below != null && below.getValue() >= arc.turn) {
        return false;
      }
      turns.put(arc.turn, arc.lastTurn);
      open.add(arc);
    }
    return true;
  }

  /** How many movements {@link #areApartMoved} tries, or more than there can be pieces. */
  private static long movements(Steps steps) {
    long movements = 1;
    int whole = largest(steps);
    for (int i = 0; i < steps.counts.length; i++) {
      long differences = 2 * Math.min(steps.counts[i], Integer.MAX_VALUE) - 1;
      movements = i == whole ? movements : Math.min(movements * differences, Integer.MAX_VALUE);
    }
    return movements;
  }

  private static int largest(Steps steps) {
    int largest = 0;
    for (int i = 1; i < steps.counts.length; i++) {
      largest = steps.counts[i] > steps.counts[largest] ? i : largest;
    }
    return largest;
  }

  /** Sweeps the pieces together with themselves, moved by differences of all loops but one. */
  private boolean areApartMoved(Steps steps) {
    int whole = largest(steps);
    long count = steps.counts[whole];
    long stride = steps.strides[whole];
    Steps one = new Steps(new long[] {count}, new long[] {stride}, (count - 1) * stride);
    List<Piece> under = new ArrayList<>();
    pieces.forEach(piece -> under.add(new Piece(piece.start(), piece.length(), one)));
    return areOrdered(arcs(under, stride)) && move(steps, whole, 0, 0, under);
  }

  /**
   * Adds a loop's differences to a movement; as long as it is 0, only those that are not negative.
   */
  private boolean move(Steps steps, int whole, int loop, long movement, List<Piece> under) {
    if (loop == steps.counts.length) {
      return movement == 0 || areApartFrom(movement, under);
    }
    if (loop == whole) {
      return move(steps, whole, loop + 1, movement, under);
    }
    long count = steps.counts[loop];
    for (long turn = movement == 0 ? 0 : 1 - count; turn < count; turn++) {
      if (!move(steps, whole, loop + 1, movement + turn * steps.strides[loop], under)) {
        return false;
      }
    }
    return true;
  }

  private boolean areApartFrom(long movement, List<Piece> under) {
    List<Piece> both = new ArrayList<>(under);
    for (Piece one : under) {
      budget.spend();
      both.add(new Piece(one.start() + movement, one.length(), one.steps()));
    }
    return areOrdered(arcs(both, under.getFirst().steps().strides[0]));
  }

  /** Compares each two pieces that have a place on the circle in common. */
  @SuppressWarnings("ReferenceEquality") // two pieces that are equal do meet
  private boolean tryPairs(List<Arc> arcs) {
    List<Arc> open = new ArrayList<>();
    for (Arc arc : arcs) {
      open.removeIf(other -> other.to <= arc.from);
      for (Arc other : open) {
        budget.spend();
        if (other.piece != arc.piece && meet(other.piece, arc.piece)) {
          return false;
        }
      }
      open.add(arc);
    }
    return true;
  }

  private boolean meet(Piece a, Piece b) {
    if (a.end() <= b.start() || b.end() <= a.start()) {
      return false;
    }
    StrideSums sums = new StrideSums(budget);
    for (int i = 0; i < a.steps().strides.length; i++) {
      sums.add(a.steps().strides[i], 0, a.steps().counts[i] - 1);
    }
    for (int i = 0; i < b.steps().strides.length; i++) {
      sums.add(b.steps().strides[i], 1 - b.steps().counts[i], 0);
    }
    long apart = a.start() - b.start();
    return sums.reach(
        StrideSums.minus(1 - a.length(), apart), StrideSums.minus(b.length() - 1, apart));
  }
}
