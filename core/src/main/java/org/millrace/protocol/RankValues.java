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
 *   Accesses = (first:Access ranks:int step:long times:int distance:long)*
 * </pre>
 *
 * Displacements grow by {@code step} from rank to rank, and by {@code distance} from one repetition
 * to the next: tiles of a matrix are one entry.
 *
 * <p>Holds no state.
 */
final class RankValues {

  /** More ranks than anybody has: a few bytes must not ask for much memory. */
  private static final int MAX_RANKS = 1 << 20;

  private static final int LONGS_BYTES = Long.BYTES + Integer.BYTES;

  /** Runs that are not there by themselves, in all. */
  private static final int MAX_REPEATED = 1 << 12;

  private static final int MIN_RUN_BYTES =
      PatternCodec.MIN_ACCESS_BYTES + 2 * (Integer.BYTES + Long.BYTES);

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
    int at = to.size();
    to.putInt(0);
    int entries = 0;
    int repeated = 0;
    for (int i = 0; i < runs.size(); entries++) {
      AccessRuns.Run run = runs.get(i);
      int times = times(runs.subList(i, runs.size()), MAX_REPEATED - repeated);
      PatternCodec.putAccess(run.first(), to);
      to.putInt(run.count()).putLong(run.step());
      to.putInt(times).putLong(times == 1 ? 0 : distance(run, runs.get(i + 1)));
      repeated += times - 1;
      i += times;
    }
    to.setInt(at, entries);
  }

  /**
   * How many of the runs are the first one at equal distances, with at most so many repetitions.
   */
  private static int times(List<AccessRuns.Run> runs, int max) {
    int times = 1;
    while (times < runs.size()
        && times <= max
        && runs.get(times).isAlike(runs.getFirst())
        && distance(runs.get(times - 1), runs.get(times)) == distance(runs.get(0), runs.get(1))) {
      times++;
    }
    return times;
  }

  private static long distance(AccessRuns.Run one, AccessRuns.Run next) {
    return next.first().view().displacement() - one.first().view().displacement();
  }

  static List<Access> getAccesses(Decoder from) throws MillraceException {
    int entries = from.getCount(MIN_RUN_BYTES);
    List<AccessRuns.Run> runs = new ArrayList<>(entries);
    int end = 0;
    for (int i = 0; i < entries; i++) {
      Access first = PatternCodec.getAccess(from);
      int count = ranks(from, end);
      AccessRuns.Run run = run(first, count, from.getLong(), from);
      int times = from.getInt();
      long distance = from.getLong();
      if (times < 1
          || times - 1 > MAX_REPEATED - (runs.size() - i)
          || times > (MAX_RANKS - end) / count) {
        throw from.wrong(times + " times " + count + " ranks, after " + end + " others");
      }
      for (int time = 0; time < times; time++) {
        runs.add(moved(run, time, distance, from));
      }
      end += times * count;
    }
    return new AccessRuns(runs);
  }

  private static AccessRuns.Run moved(AccessRuns.Run run, int times, long distance, Decoder from)
      throws MillraceException {
    try {
      return times == 0 ? run : run.moved(Math.multiplyExact(times, distance));
    } catch (ArithmeticException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw from.wrong(times + " times a distance of " + distance + ": " + e.getMessage());
    }
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
