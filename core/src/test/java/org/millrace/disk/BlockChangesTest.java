package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** Changes of a block hold every byte that was added, and the rest is what they do not hold. */
final class BlockChangesTest {

  private static final int BYTES = 200;

  private static BitSet held(BlockChanges changes) {
    BitSet held = new BitSet();
    for (int i = 0; i < changes.count(); i++) {
      assertThat(changes.from(i)).isLessThan(changes.to(i));
      assertThat(i == 0 || changes.to(i - 1) < changes.from(i)).isTrue();
      held.set(changes.from(i), changes.to(i));
    }
    return held;
  }

  @Test
  void rangesAreExactWhileTheyAreFewAndNeverLessThanWhatWasAdded() {
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      BlockChanges changes = new BlockChanges(BYTES);
      BitSet exact = new BitSet();
      boolean few = true;
      for (int i = 0; i < 30; i++) {
        int from = random.nextInt(BYTES);
        int to = from + random.nextInt(Math.min(12, BYTES - from) + 1);
        changes.add(from, to);
        exact.set(from, to);
        int runs = 0;
        for (int at = exact.nextSetBit(0); at >= 0; at = exact.nextSetBit(exact.nextClearBit(at))) {
          runs++;
        }
        few &= runs <= 8;
        BitSet held = held(changes);
        if (few) {
          assertThat(held).as(Seeds.replay(seed)).isEqualTo(exact);
        }
        BitSet missing = (BitSet) exact.clone();
        missing.andNot(held);
        assertThat(missing.isEmpty()).as(Seeds.replay(seed)).isTrue();
        assertThat(changes.count()).isLessThanOrEqualTo(8);
      }
    }
  }

  @Test
  void theSumOfTheRestSeesExactlyTheOtherBytesBeforeTheLimit() {
    for (long seed : Seeds.of(100)) {
      Random random = new Random(seed);
      BlockChanges changes = new BlockChanges(1 + random.nextInt(BYTES));
      for (int i = 0; i < 5; i++) {
        int from = random.nextInt(BYTES);
        changes.add(from, from + random.nextInt(BYTES - from));
      }
      byte[] content = new byte[BYTES];
      random.nextBytes(content);
      int before = changes.restSum(MemorySegment.ofArray(content));
      for (int at = 0; at < BYTES; at++) {
        content[at] ^= 1;
        boolean seen = changes.restSum(MemorySegment.ofArray(content)) != before;
        boolean rest = at < changes.limit() && !held(changes).get(at);
        assertThat(seen).as(Seeds.replay(seed) + " byte " + at).isEqualTo(rest);
        content[at] ^= 1;
      }
    }
  }

  @Test
  void whatCoversAnotherHoldsAllOfIt() {
    BlockChanges wide = new BlockChanges(100);
    wide.add(10, 50);
    BlockChanges narrow = new BlockChanges(100);
    narrow.add(20, 30);
    assertThat(wide.covers(narrow)).isTrue();
    assertThat(narrow.covers(wide)).isFalse();
    assertThat(BlockChanges.all().covers(wide)).isTrue();
    assertThat(wide.covers(narrow.within(99))).as("another end").isFalse();
    assertThat(wide.and(null)).isSameAs(wide);
  }
}
