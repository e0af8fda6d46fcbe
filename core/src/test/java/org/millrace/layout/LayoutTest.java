package org.millrace.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class LayoutTest {

  @Test
  void allSmallLayoutsDealOutUnitsInTurn() {
    for (int unit = 1; unit <= 5; unit++) {
      for (int strands = 1; strands <= 5; strands++) {
        Layout layout = Layout.striped(unit, strands);
        long[] ends = new long[strands];
        int turn = 0;
        for (long offset = 0; offset < 120; offset++) {
          if (offset > 0 && offset % unit == 0) {
            turn = (turn + 1) % strands;
          }
          assertThat(layout.strandOf(offset)).isEqualTo(turn);
          assertThat(layout.strandOffset(offset)).isEqualTo(ends[turn]);
          assertThat(layout.fileOffset(turn, ends[turn])).isEqualTo(offset);
          ends[turn]++;
          for (int strand = 0; strand < strands; strand++) {
            assertThat(layout.strandSize(strand, offset + 1)).isEqualTo(ends[strand]);
          }
          assertThat(layout.fileSize(turn, ends[turn])).isEqualTo(offset + 1);
          assertThat(layout.fileSize(ends)).isEqualTo(offset + 1);
        }
        assertThat(layout.fileSize(new long[strands])).isZero();
      }
    }
  }

  /** Frozen: files on disk depend on these numbers. They are also in docs/layout.md. */
  @Test
  void theFunctionIsFrozen() {
    long[][] golden = {
      // unit, strands, offset -> strand, strand offset
      {65536, 4, 0, 0, 0},
      {65536, 4, 65535, 0, 65535},
      {65536, 4, 65536, 1, 0},
      {65536, 4, 262143, 3, 65535},
      {65536, 4, 262144, 0, 65536},
      {65536, 4, 1000000, 3, 213568},
      {65536, 1, 1000000, 0, 1000000},
      {1048576, 3, 5000000000L, 1, 1666576896},
      {1048576, 7, 1099511627776L, 4, 157072490496L},
      {4096, 5, 9223372036854775807L, 2, 1844674407370956799L},
    };
    for (long[] row : golden) {
      Layout layout = Layout.striped(row[0], (int) row[1]);
      assertThat(layout.strandOf(row[2])).as("strand of %d", row[2]).isEqualTo((int) row[3]);
      assertThat(layout.strandOffset(row[2])).as("place of %d", row[2]).isEqualTo(row[4]);
      assertThat(layout.fileOffset((int) row[3], row[4])).isEqualTo(row[2]);
    }
  }

  /** Frozen as well, though only for new files: a layout is kept with its file. */
  @Test
  void theOrderOfNodesIsAFunctionOfTheId() {
    assertThat(Layout.forFile(0, 65536, 4, 4).nodes()).containsExactly(0, 1, 2, 3);
    assertThat(Layout.forFile(1, 65536, 4, 4).nodes()).containsExactly(2, 3, 0, 1);
    assertThat(Layout.forFile(2, 65536, 4, 4).nodes()).containsExactly(0, 1, 2, 3);
    assertThat(Layout.forFile(3, 65536, 4, 4).nodes()).containsExactly(3, 0, 1, 2);
    assertThat(Layout.forFile(4, 65536, 4, 4).nodes()).containsExactly(1, 2, 3, 0);
    assertThat(Layout.forFile(5, 65536, 2, 7).nodes()).containsExactly(0, 1);
    assertThat(Layout.forFile(-1, 65536, 3, 7).nodes()).containsExactly(2, 3, 4);
    assertThat(Layout.forFile(123456789, 65536, 1, 1000).nodes()).containsExactly(743);
  }

  @Test
  void moreStrandsThanNodesGoRoundAgain() {
    assertThat(Layout.forFile(1, 65536, 5, 2).nodes()).containsExactly(1, 0, 1, 0, 1);
    assertThat(Layout.forFile(7, 65536, 3, 1).nodes()).containsExactly(0, 0, 0);
  }

  @Test
  void firstStrandsSpreadOverTheNodes() {
    for (int stride = 1; stride <= 8; stride++) {
      for (int nodes = 2; nodes <= 16; nodes++) {
        int[] files = new int[nodes];
        for (long id = 1; id <= 1600; id++) {
          files[Layout.forFile(id * stride, 65536, 1, nodes).node(0)]++;
        }
        for (int count : files) {
          assertThat(count).isBetween(1600 / nodes / 2, 2 * 1600 / nodes);
        }
      }
    }
  }

  /** Case 19: what a write of some bytes at some offset makes of the strands' sizes. */
  @Test
  void strandsGrowWithTheFile() {
    long s = 1 << 20;
    Layout layout = Layout.striped(s, 4);
    assertThat(sizes(layout, 0, 6 * s)).containsExactly(2 * s, 2 * s, s, s);
    assertThat(sizes(layout, s, 7 * s)).containsExactly(2 * s, 2 * s, 2 * s, 2 * s);
    assertThat(sizes(layout, 2 * s, 7 * s)).containsExactly(3 * s, 2 * s, 2 * s, 2 * s);
    assertThat(sizes(layout, 1, 2 * s)).containsExactly(s, s, 1, 0);
    assertThat(sizes(layout, s - 1, 2 * s)).containsExactly(s, s, s - 1, 0);
    assertThat(sizes(layout, 0, 2 * s + 1)).containsExactly(s, s, 1, 0);
  }

  private static long[] sizes(Layout layout, long offset, long length) {
    long[] sizes = new long[layout.strands()];
    for (int strand = 0; strand < sizes.length; strand++) {
      sizes[strand] = layout.strandSize(strand, offset + length);
    }
    assertThat(layout.fileSize(sizes)).isEqualTo(offset + length);
    return sizes;
  }

  @Test
  void wrongArgumentsAreRefusedWithTheirValues() {
    Layout layout = Layout.striped(64, 3);
    assertThatThrownBy(() -> Layout.striped(0, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
    assertThatThrownBy(() -> Layout.striped(64, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Layout.striped(1L << 61, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2^62");
    assertThatThrownBy(() -> Layout.of(64, 1, -2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-2");
    assertThatThrownBy(() -> Layout.forFile(1, 64, 3, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 nodes");
    assertThatThrownBy(() -> layout.strandOf(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> layout.fileOffset(3, 0))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("3");
    assertThatThrownBy(() -> layout.fileOffset(0, Long.MAX_VALUE / 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("largest file offset");
    assertThatThrownBy(() -> layout.strandSize(0, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> layout.fileSize(new long[2]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
