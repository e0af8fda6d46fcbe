package org.millrace.heritage.pious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Runs;
import org.millrace.heritage.pious.Interleave.Places;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Views over segments, byte by byte against their definition. */
final class InterleaveTest {

  /** Where byte g of an interleave lies in the plain file, by the definition. */
  private static long defined(Layout layout, long block, long g) {
    long k = g / block;
    int segment = (int) (k % layout.strands());
    long inSegment = k / layout.strands() * block + g % block;
    return layout.fileOffset(segment, inSegment);
  }

  /** All bytes of an access: what the file's view and the memory's pattern make of them. */
  private static void check(Layout layout, Interleave order, long block, int at, int length) {
    Places places = order.places(order.parts(at, length), at);
    assertThat(places.memory().size()).isEqualTo(length);
    assertThat(places.file().isDisjoint()).isTrue();
    assertThat(places.memory().isDisjoint()).isTrue();
    for (int i = 0; i < length; i++) {
      long g = at + places.memory().offsetOf(i);
      assertThat(g).isBetween((long) at, at + length - 1L);
      assertThat(places.file().offsetOf(i))
          .as("%s, block %d, byte %d of %d at %d", layout, block, i, length, at)
          .isEqualTo(defined(layout, block, g));
    }
  }

  @Test
  void blocksOfSegmentsComeInTurnWhateverTheStripeUnit() {
    for (int segments = 1; segments <= 4; segments++) {
      for (int unit = 1; unit <= 12; unit++) {
        Layout layout = Layout.striped(unit, segments);
        for (int block = 1; block <= 12; block++) {
          Interleave order = Interleave.blocks(layout, block);
          for (int g = 0; g < 400; g++) {
            assertThat(order.offsetOf(g)).isEqualTo(defined(layout, block, g));
          }
          for (int at = 0; at < 30; at += 7) {
            for (int length = 1; length < 80; length += 13) {
              check(layout, order, block, at, length);
            }
          }
        }
      }
    }
  }

  @Test
  void aSegmentIsAStrand() {
    Layout layout = Layout.striped(3, 4);
    for (int segment = 0; segment < 4; segment++) {
      Interleave order = Interleave.segment(layout, segment);
      for (int o = 0; o < 50; o++) {
        assertThat(order.offsetOf(o)).isEqualTo(o / 3 * 12L + segment * 3L + o % 3);
      }
      assertThat(order.end(new long[] {5, 6, 7, 8})).isEqualTo(5 + segment);
      Places places = order.places(order.parts(2, 20), 2);
      for (int i = 0; i < 20; i++) {
        assertThat(places.memory().offsetOf(i)).isEqualTo(i);
        assertThat(places.file().offsetOf(i)).isEqualTo(order.offsetOf(2 + i));
      }
    }
  }

  @Test
  void theBlockSizeOfTheFileShowsThePlainFile() {
    assertThat(Interleave.blocks(Layout.striped(4096, 5), 4096).isPlain()).isTrue();
    assertThat(Interleave.blocks(Layout.striped(4096, 5), 4097).isPlain()).isFalse();
    assertThat(Interleave.blocks(Layout.striped(4096, 1), 7).isPlain()).isTrue();
    assertThat(Interleave.segment(Layout.striped(4096, 5), 0).isPlain()).isFalse();
  }

  /** Not lcm(b, u) / b turns: a head, a loop and a tail for each segment, of file and memory. */
  @Test
  void anAccessTakesAFewNumbersForEachSegmentWhateverTheBlockSize() {
    int segments = 4;
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      long unit = 1 + random.nextLong(1L << random.nextInt(1, 31));
      long block = 1 + random.nextLong(1L << random.nextInt(1, 40));
      Layout layout = Layout.striped(unit, segments);
      Interleave order = Interleave.blocks(layout, block);
      long at = random.nextLong(1L << 40);
      long length = 1 + random.nextLong(1L << 30);
      Places places = order.places(order.parts(at, length), at);
      Runs runs = places.file().runs(0, length);
      int combs = 0;
      while (runs.next()) {
        combs++;
      }
      assertThat(combs).as(Seeds.replay(seed)).isLessThanOrEqualTo(3 * segments);
      assertThat(places.file().isDisjoint()).as(Seeds.replay(seed)).isTrue();
      for (int i = 0; i < 50; i++) {
        long byteNumber = random.nextLong(length);
        long g = at + places.memory().offsetOf(byteNumber);
        assertThat(places.file().offsetOf(byteNumber))
            .as(Seeds.replay(seed))
            .isEqualTo(defined(layout, block, g));
      }
    }
  }

  @Test
  void theViewEndsBehindTheLastByteOfAnySegment() {
    Layout layout = Layout.striped(4, 3);
    Interleave order = Interleave.blocks(layout, 2);
    assertThat(order.end(new long[] {0, 0, 0})).isZero();
    assertThat(order.end(new long[] {1, 0, 0})).isEqualTo(1);
    assertThat(order.end(new long[] {0, 1, 0})).isEqualTo(3);
    assertThat(order.end(new long[] {3, 0, 2})).isEqualTo(7);
    assertThat(order.end(new long[] {3, 4, 0})).isEqualTo(10);
  }

  @Test
  void blocksThatDoNotFitIntoAFileAreRefused() {
    Layout layout = Layout.striped(4, 3);
    for (long block : List.of(0L, -1L, Long.MAX_VALUE / 2)) {
      assertThatThrownBy(() -> Interleave.blocks(layout, block))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("block size of " + block);
    }
    assertThat(Interleave.blocks(layout, Long.MAX_VALUE / 3).offsetOf(7)).isEqualTo(4 * 3 + 3);
  }
}
