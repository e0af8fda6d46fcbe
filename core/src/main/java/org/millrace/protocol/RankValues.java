package org.millrace.protocol;

import java.util.ArrayList;
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
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      Long value = from.getLong();
      for (int left = ranks(from, values.size()); left > 0; left--) {
        values.add(value);
      }
    }
    return List.copyOf(values);
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
    List<Access> accesses = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      Access first = PatternCodec.getAccess(from);
      int count = ranks(from, accesses.size());
      long step = from.getLong();
      View view = first.view();
      long displacement = view.displacement();
      accesses.add(first);
      for (int more = 1; more < count; more++) {
        displacement += step;
        View next = new View(displacement, view.tile(), view.tileExtent());
        accesses.add(new Access(next, first.from(), first.to()));
      }
    }
    return List.copyOf(accesses);
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
