package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;

/** How far lists reach, byte by byte over small accesses and by hand over a large one. */
final class SieveWindowTest {

  /** The blocks that hold positions of an access. */
  private static Set<Long> blocks(Access access, long from, long to, int blockBytes) {
    TreeSet<Long> blocks = new TreeSet<>();
    for (long position = from; position < to; position++) {
      blocks.add(access.view().offsetOf(position) / blockBytes);
    }
    return blocks;
  }

  @Test
  void aListHasAsManyBlocksAsItMayAndNotOneMore() {
    for (Access access : SmallAccesses.all()) {
      if (access.isEmpty() || !access.view().isAscending()) {
        continue;
      }
      for (int block = 1; block <= 8; block *= 2) {
        for (long sieve : new long[] {1, 3, 8, 16, 40}) {
          check(access, sieve, block);
        }
      }
    }
  }

  private static void check(Access access, long sieve, int block) {
    String what = access + " by " + sieve + " of blocks of " + block;
    long from = access.from();
    while (from < access.to()) {
      long end = SieveWindow.end(access, from, sieve, block);
      assertThat(end).as(what).isGreaterThan(from).isLessThanOrEqualTo(access.to());
      long row = from;
      while (row < access.to()
          && access.view().offsetOf(row) < access.view().offsetOf(from) + sieve) {
        row++;
      }
      long max = Math.max(1, sieve / block);
      assertThat(end).as(what).isGreaterThanOrEqualTo(row);
      if (end > row) {
        assertThat(row - from).as(what).isLessThan(Math.max(1, sieve / 8));
        assertThat(blocks(access, from, end, block).size()).as(what).isLessThanOrEqualTo((int) max);
      }
      if (end < access.to() && row - from < sieve / 8) {
        assertThat(blocks(access, from, end + 1, block).size()).as(what).isGreaterThan((int) max);
      }
      from = end;
    }
  }

  /** A hundred and twenty-eight records of 4 KiB, dealt to ever more ranks. */
  @Test
  void scatteredRecordsNeedNoMoreListsOnMoreRanks() {
    for (long ranks : new long[] {64, 1024, 65_536, 1 << 30}) {
      View view = new View(4096, Pattern.run(4096), 4096 * ranks);
      Access access = new Access(view, 0, 128 * 4096);
      int lists = 0;
      for (long from = 0; from < access.to(); lists++) {
        from = SieveWindow.end(access, from, 4 << 20, 64 << 10);
      }
      assertThat(lists).as("%d ranks", ranks).isEqualTo(2);
    }
  }

  @Test
  void aBillionRunsAreNotWalked() {
    View view = new View(0, Pattern.run(8), 1 << 20);
    Access access = new Access(view, 0, 8L << 30);
    assertThat(SieveWindow.end(access, 0, 4 << 20, 64 << 10)).isEqualTo(64 * 8);
  }
}
