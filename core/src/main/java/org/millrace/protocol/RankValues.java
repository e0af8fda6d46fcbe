package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.group.AccessRuns;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * Encodes the values of all ranks of a group. Every rank receives them, so they are run-length
 * encoded: most ranks have equal values, or parts of one file at equal distances.
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
  private static final int MAX_RANKS = 1 << 20;

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
    return new RunLengthList<>(ends, (run, _) -> values[run]);
  }

  static void putAccesses(List<Access> accesses, Encoder to) {
    List<AccessRuns.Run> runs = AccessRuns.of(accesses).runs();
    to.putInt(runs.size());
    for (AccessRuns.Run run : runs) {
      PatternCodec.putAccess(run.first(), to);
      to.putInt(run.count()).putLong(run.step());
    }
  }

  static List<Access> getAccesses(Decoder from) throws MillraceException {
    int entries = from.getCount(PatternCodec.MIN_ACCESS_BYTES + Integer.BYTES + Long.BYTES);
    List<AccessRuns.Run> runs = new ArrayList<>(entries);
    int end = 0;
    for (int i = 0; i < entries; i++) {
      Access first = PatternCodec.getAccess(from);
      int count = ranks(from, end);
      runs.add(run(first, count, from.getLong(), from));
      end += count;
    }
    return new AccessRuns(runs);
  }

  private static AccessRuns.Run run(Access first, int count, long step, Decoder from)
      throws MillraceException {
    try {
      return new AccessRuns.Run(first, count, step);
    } catch (ArithmeticException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw from.wrong(count + " accesses at a distance of " + step + ": " + e.getMessage());
    }
  }

  private static int ranks(Decoder from, int before) throws MillraceException {
    int ranks = from.getInt();
    if (ranks < 1 || ranks > MAX_RANKS - before) {
      throw from.wrong(ranks + " ranks that give the same, after " + before + " others");
    }
    return ranks;
  }
}
