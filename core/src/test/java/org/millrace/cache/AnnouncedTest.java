package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** Announced blocks, compared with a set of blocks. */
class AnnouncedTest {

  private static final int BLOCKS = 300;

  @Test
  void stretchesAreWhatASetOfBlocksIs() {
    for (long seed : Seeds.of(200)) {
      try {
        compare(new Random(seed));
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + "; " + Seeds.replay(seed), e);
      }
    }
  }

  private static void compare(Random random) {
    Announced announced = new Announced();
    BitSet expected = new BitSet();
    int next = 0;
    for (int step = 0; step < 300; step++) {
      if (random.nextInt(3) == 0) {
        int from = random.nextInt(BLOCKS);
        int to = from + 1 + random.nextInt(20);
        assertThat(announced.add(from, to)).isTrue();
        expected.set(from, to);
      } else if (!announced.isEmpty()) {
        int block = nextOf(expected, next);
        assertThat(announced.next()).isEqualTo(block);
        int end = expected.nextClearBit(block);
        assertThat(announced.end(block)).isEqualTo(end);
        int to = block + 1 + random.nextInt(end - block);
        announced.pass(block, to);
        expected.clear(block, to);
        next = to;
      }
      assertThat(announced.isEmpty()).isEqualTo(expected.isEmpty());
      int asked = random.nextInt(BLOCKS);
      assertThat(announced.contains(asked)).isEqualTo(expected.get(asked));
      assertThat(announced.before(asked)).isEqualTo(before(expected, next, asked));
    }
  }

  private static int nextOf(BitSet blocks, int from) {
    int found = blocks.nextSetBit(from);
    return found < 0 ? blocks.nextSetBit(0) : found;
  }

  private static long before(BitSet blocks, int next, int block) {
    return block >= next
        ? blocks.get(next, block).cardinality()
        : blocks.get(next, BLOCKS * 2).cardinality() + blocks.get(0, block).cardinality();
  }

  @Test
  void stretchesAreBounded() {
    Announced announced = new Announced();
    int added = 0;
    while (added < 1000 && announced.add(2L * added, 2L * added + 1)) {
      added++;
    }
    assertThat(added).isLessThan(1000);
    assertThat(announced.add(1, 2)).as("joins two").isTrue();
    assertThat(announced.contains(2L * added)).isFalse();
  }

  @Test
  void nothingIsLeftAfterClearing() {
    Announced announced = new Announced();
    announced.add(3, 9);
    announced.clear();
    assertThat(announced.isEmpty()).isTrue();
    assertThat(announced.contains(4)).isFalse();
  }
}
