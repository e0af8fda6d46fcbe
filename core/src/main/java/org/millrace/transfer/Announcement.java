package org.millrace.transfer;

import java.util.Arrays;
import java.util.Comparator;
import org.millrace.access.Access;
import org.millrace.access.Runs;
import org.millrace.layout.Layout;

/**
 * Blocks that a rank asks the disks to read before all ranks of a collective read have arrived,
 * because somebody will read them in any case. If it wants a part of a block, other ranks will want
 * the rest: each of them announces some of these blocks, chosen by its number, so that the ranks
 * together announce each block about once, and each about as many as the others. A wrong guess only
 * costs time.
 *
 * <p>Disks read in the order of the announcements. Ranks that read for themselves announce in the
 * order of the file. Aggregators read neighbouring blocks, which lie on neighbouring strands: there
 * the strands take turns, so that a file domain comes evenly, and not all of it at the end.
 *
 * <pre>
 *   block of the strand     0  1  2  3  4  5  6  7       comes as number
 *   strand 0                0  7  6  5  4  3  2  1
 *   strand 1                1  0  7  6  5  4  3  2
 *   strand 2                2  1  0  7  6  5  4  3
 * </pre>
 *
 * <p>Holds no state.
 */
public final class Announcement {

  /** On fewer strands a rank's own requests keep all disks busy. */
  private static final int MIN_STRANDS = 32;

  /** The most messages that a rank spends on it. */
  private static final int MAX = 64;

  private static final int TURNS = 8;

  private Announcement() {}

  /** Announces what rank number {@code rank} will read, in the order of the file. */
  public static void inOrder(Strands strands, Access access, int rank) {
    announce(strands, access, rank, false);
  }

  /** Announces what rank number {@code rank} wants aggregators to read: strands take turns. */
  public static void inTurns(Strands strands, Access access, int rank) {
    announce(strands, access, rank, true);
  }

  private static void announce(Strands strands, Access access, int rank, boolean inTurns) {
    Layout layout = strands.layout();
    long blockBytes = layout.blockBytes();
    if (access.size() < blockBytes) {
      return;
    }
    if (access.view().isContiguous()) {
      strands.hint(access.span().offset(), access.size());
    } else if (layout.strands() >= MIN_STRANDS) {
      long[] blocks = share(access, rank, blockBytes);
      for (long block : inTurns ? inTurns(layout, blocks) : blocks) {
        strands.hint(block * blockBytes, blockBytes);
      }
    }
  }

  /**
   * The blocks that are this rank's to announce, ascending: the first of them, if they are many.
   */
  static long[] share(Access access, int rank, long blockBytes) {
    long[] share = new long[MAX];
    int count = 0;
    long next = 0; // the first block that was not looked at
    Runs runs = access.view().runs(access.from(), access.to());
    while (runs.next() && count < MAX) {
      if (runs.stride() < 0) {
        break; // neighbours come in no order: there is no telling what they share
      }
      long sharers = sharers(runs, blockBytes);
      long different = runs.stride() == 0 ? 1 : runs.count();
      for (long i = 0; i < different && count < MAX; i++) {
        long block = (runs.offset() + i * runs.stride()) / blockBytes;
        if (block >= next && isMine(block, rank, sharers)) {
          share[count] = block;
          count++;
        }
        next = Math.max(next, block + 1);
      }
    }
    return Arrays.copyOf(share, count);
  }

  /** How many ranks have a part of a block, if all have as much of it. */
  private static long sharers(Runs runs, long blockBytes) {
    boolean close = runs.count() > 1 && runs.stride() > 0 && runs.stride() < blockBytes;
    long wanted = close ? blockBytes / runs.stride() * runs.length() : runs.length();
    return Math.max(1, blockBytes / Math.max(1, wanted));
  }

  /**
   * Whether one of the ranks that share a block announces it: they take turns, which are shifted
   * again and again, so that strides of any power of their number come to all of them.
   */
  private static boolean isMine(long block, int rank, long sharers) {
    long turn = 0;
    for (long rest = block; rest > 0 && sharers > 1; rest /= sharers) {
      turn += rest % sharers;
    }
    return turn % sharers == rank % sharers;
  }

  /** The blocks in the order in which their strands are to read them. */
  private static long[] inTurns(Layout layout, long[] blocks) {
    return Arrays.stream(blocks)
        .boxed()
        .sorted(Comparator.comparingInt(block -> turn(layout, block)))
        .mapToLong(Long::longValue)
        .toArray();
  }

  /** Descending on each strand, so that no node takes it for sequential and reads ahead. */
  static int turn(Layout layout, long block) {
    long offset = block * layout.blockBytes();
    long onStrand = layout.strandOffset(offset) / layout.blockBytes();
    return (int) Math.floorMod(layout.strandOf(offset) - onStrand, (long) TURNS);
  }
}
