package org.millrace.node;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.millrace.disk.DiskExtent;

/**
 * The order in which a disk-directed call processes the blocks of a strand: by their place on the
 * disk, as in Kotz's papers. A step transfers one buffer: a block, or blocks that are adjacent both
 * on the disk and in the strand. Blocks whose place is unknown come last, in the order of the
 * strand. Immutable.
 */
final class Schedule {

  private static final long NOWHERE = Long.MAX_VALUE;

  private record Placed(long block, long place) {}

  private final long[] firsts;
  private final long[] ends;

  private Schedule(long[] firsts, long[] ends) {
    this.firsts = firsts;
    this.ends = ends;
  }

  /**
   * The schedule for blocks, which ascend.
   *
   * @param places where the strand lies, in bytes of the strand, ascending
   * @param blockBytes of a block
   * @param bufferBlocks the most blocks of a step
   */
  static Schedule of(long[] blocks, List<DiskExtent> places, long blockBytes, int bufferBlocks) {
    Placed[] order = placed(blocks, places, blockBytes);
    // sorted already if the strand lies in its own order; the sort is stable
    Arrays.sort(order, Comparator.comparingLong(Placed::place));
    long[] firsts = new long[order.length];
    long[] ends = new long[order.length];
    int steps = 0;
    for (int i = 0; i < order.length; i++) {
      boolean joins =
          i > 0
              && follows(order[i - 1], order[i], blockBytes)
              && ends[steps - 1] - firsts[steps - 1] < bufferBlocks;
      if (!joins) {
        firsts[steps++] = order[i].block;
      }
      ends[steps - 1] = order[i].block + 1;
    }
    return new Schedule(Arrays.copyOf(firsts, steps), Arrays.copyOf(ends, steps));
  }

  private static boolean follows(Placed before, Placed one, long blockBytes) {
    return one.block == before.block + 1
        && (one.place == NOWHERE
            ? before.place == NOWHERE
            : one.place == before.place + blockBytes);
  }

  /** Each block with the place of its first byte that has one. */
  private static Placed[] placed(long[] blocks, List<DiskExtent> places, long blockBytes) {
    Placed[] placed = new Placed[blocks.length];
    int next = 0;
    for (int i = 0; i < blocks.length; i++) {
      long start = blocks[i] * blockBytes;
      while (next < places.size() && places.get(next).end() <= start) {
        next++;
      }
      long place = NOWHERE;
      if (next < places.size() && places.get(next).position() < start + blockBytes) {
        DiskExtent here = places.get(next);
        place = here.place() + Math.max(0, start - here.position());
      }
      placed[i] = new Placed(blocks[i], place);
    }
    return placed;
  }

  /** The same steps in turn, beginning with another one. */
  Schedule startingAt(int step) {
    return new Schedule(turned(firsts, step), turned(ends, step));
  }

  private static long[] turned(long[] all, int by) {
    long[] turned = new long[all.length];
    for (int i = 0; i < all.length; i++) {
      turned[i] = all[(i + by) % all.length];
    }
    return turned;
  }

  /** How many steps there are. */
  int steps() {
    return firsts.length;
  }

  /** The first block of a step. */
  long first(int step) {
    return firsts[step];
  }

  /** One past the last block of a step. */
  long end(int step) {
    return ends[step];
  }
}
