package org.millrace.transfer;

import org.millrace.access.Access;
import org.millrace.access.Runs;

/**
 * Blocks that a rank asks the disks to read before all ranks of a collective read have arrived,
 * because somebody will read them in any case. If it wants a part of a block, other ranks will want
 * the rest: each of them announces some of these blocks, chosen by its number, so that the ranks
 * together announce each block about once. A wrong guess only costs time.
 *
 * <p>Holds no state.
 */
public final class Announcement {

  /** On fewer strands a rank's own requests keep all disks busy. */
  private static final int MIN_STRANDS = 32;

  /** The most messages that a rank spends on it. */
  private static final int MAX = 64;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private Announcement() {}

  /** Announces what rank number {@code rank} will read. */
  public static void of(Strands strands, Access access, int rank) {
    long blockBytes = strands.layout().blockBytes();
    if (access.size() < blockBytes) {
      return;
    }
    if (access.view().isContiguous()) {
      strands.hint(access.span().offset(), access.size());
    } else if (strands.layout().strands() >= MIN_STRANDS) {
      announceShare(strands, access, rank, blockBytes);
    }
  }

  private static void announceShare(Strands strands, Access access, int rank, long blockBytes) {
    long next = 0; // the first block that was not looked at
    int announced = 0;
    Runs runs = access.view().runs(access.from(), access.to());
    while (runs.next() && announced < MAX) {
      if (runs.stride() < 0) {
        return; // neighbours come in no order: there is no telling what they share
      }
      long sharers = sharers(runs, blockBytes);
      for (long i = 0; i < runs.count() && announced < MAX; i++) {
        long block = (runs.offset() + i * runs.stride()) / blockBytes;
        if (block >= next && isMine(block, rank, sharers)) {
          strands.hint(block * blockBytes, blockBytes);
          announced++;
        }
        next = Math.max(next, block + 1);
      }
    }
  }

  /** How many ranks have a part of a block, if all have as much of it. */
  private static long sharers(Runs runs, long blockBytes) {
    boolean close = runs.count() > 1 && runs.stride() < blockBytes;
    long wanted = close ? blockBytes / runs.stride() * runs.length() : runs.length();
    return Math.max(1, blockBytes / Math.max(1, wanted));
  }

  private static boolean isMine(long block, int rank, long sharers) {
    return (block * SPREAD >>> Integer.SIZE) % sharers == rank % sharers;
  }
}
