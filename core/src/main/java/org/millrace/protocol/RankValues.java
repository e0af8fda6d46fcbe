package org.millrace.protocol;

import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * What all ranks of a group gave, by rank, as bytes. Every rank is answered with it, so its length
 * counts as often as there are ranks; but ranks mostly give the same, or parts of one file that lie
 * at equal distances.
 *
 * <pre>
 *   Longs    = (value:long ranks:int)*
 *   Accesses = (first:Access ranks:int step:long)*     displacements grow by step from rank to rank
 * </pre>
 *
 * Holds no state.
 */
final class RankValues {

  /** More ranks than anybody has: a few bytes must not ask for much memory. */
  private static final int MOST_RANKS = 1 << 20;

  private static final int LONGS_BYTES = Long.BYTES + Integer.BYTES;

  private RankValues() {}

  static void putLongs(List<Long> values, Encoder to) {
    int at = to.size();
    to.putInt(0);
    int entries = 0;
    for (int i = 0; i < values.size(); entries++) {
      long value = values.get(i);
      int from = i;
      while (i < values.size() && values.get(i) == value) {
        i++;
      }
      to.putLong(value).putInt(i - from);
    }
    to.setInt(at, entries);
  }

  static List<Long> getLongs(Decoder from) throws MillraceException {
    int entries = from.getCount(LONGS_BYTES);
    long[] values = new long[entries];
    int[] ends = new int[entries];
    int end = 0;
    for (int i = 0; i < entries; i++) {
      values[i] = from.getLong();
      end += ranks(from, end);
      ends[i] = end;
    }
    return new RunList<>(ends, (run, _) -> values[run]);
  }

  static void putAccesses(List<Access> accesses, Encoder to) {
    int at = to.size();
    to.putInt(0);
    int entries = 0;
    for (int i = 0; i < accesses.size(); entries++) {
      Access first = accesses.get(i);
      int count = 1;
      long step = 0;
      while (i + count < accesses.size() && isAlike(first, accesses.get(i + count))) {
        long next = displacement(accesses, i + count) - displacement(accesses, i + count - 1);
        if (count > 1 && next != step) {
          break;
        }
        step = next;
        count++;
      }
      PatternCodec.putAccess(first, to);
      to.putInt(count).putLong(step);
      i += count;
    }
    to.setInt(at, entries);
  }

  static List<Access> getAccesses(Decoder from) throws MillraceException {
    int entries = from.getCount(PatternCodec.LEAST_ACCESS_BYTES + Integer.BYTES + Long.BYTES);
    Access[] firsts = new Access[entries];
    long[] steps = new long[entries];
    int[] ends = new int[entries];
    int end = 0;
    for (int i = 0; i < entries; i++) {
      firsts[i] = PatternCodec.getAccess(from);
      int count = ranks(from, end);
      steps[i] = from.getLong();
      checkLast(firsts[i], steps[i], count, from);
      end += count;
      ends[i] = end;
    }
    return new RunList<>(ends, (run, place) -> moved(firsts[run], steps[run] * place));
  }

  /** If the first and the last of accesses at equal distances are possible, so are the others. */
  private static void checkLast(Access first, long step, int count, Decoder from)
      throws MillraceException {
    try {
      long distance = Math.multiplyExact(step, count - 1L);
      Math.addExact(first.view().displacement(), distance);
      moved(first, distance);
    } catch (ArithmeticException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw from.wrong(count + " accesses at a distance of " + step + ": " + e.getMessage());
    }
  }

  private static Access moved(Access access, long distance) {
    if (distance == 0) {
      return access;
    }
    View view = access.view();
    View there = new View(view.displacement() + distance, view.tile(), view.tileExtent());
    return new Access(there, access.from(), access.to());
  }

  private static boolean isAlike(Access one, Access other) {
    return one.from() == other.from()
        && one.to() == other.to()
        && one.view().tileExtent() == other.view().tileExtent()
        && one.view().tile().equals(other.view().tile());
  }

  private static long displacement(List<Access> accesses, int rank) {
    return accesses.get(rank).view().displacement();
  }

  private static int ranks(Decoder from, int before) throws MillraceException {
    int ranks = from.getInt();
    if (ranks < 1 || ranks > MOST_RANKS - before) {
      throw from.wrong(ranks + " ranks that give the same, after " + before + " others");
    }
    return ranks;
  }
}
