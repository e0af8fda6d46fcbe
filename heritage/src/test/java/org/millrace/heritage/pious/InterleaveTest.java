package org.millrace.heritage.pious;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/** Views over segments, byte by byte against their definition. */
final class InterleaveTest {

  @Test
  void blocksOfSegmentsComeInTurnWhateverTheStripeUnit() {
    for (int segments = 1; segments <= 4; segments++) {
      for (int unit = 1; unit <= 12; unit++) {
        Layout layout = Layout.striped(unit, segments);
        for (int block = 1; block <= 12; block++) {
          View view = Interleave.blocks(layout, block);
          for (int g = 0; g < 400; g++) {
            int k = g / block;
            int segment = k % segments;
            int inSegment = k / segments * block + g % block;
            long expected =
                (long) (inSegment / unit) * unit * segments
                    + (long) segment * unit
                    + inSegment % unit;
            assertThat(view.offsetOf(g))
                .as("%s segments, unit %s, block %s, byte %s", segments, unit, block, g)
                .isEqualTo(expected);
          }
          assertThat(view.isDisjoint()).isTrue();
        }
      }
    }
  }

  @Test
  void aSegmentIsAStrand() {
    Layout layout = Layout.striped(3, 4);
    for (int segment = 0; segment < 4; segment++) {
      View view = Interleave.segment(layout, segment);
      for (int o = 0; o < 50; o++) {
        assertThat(view.offsetOf(o)).isEqualTo(o / 3 * 12L + segment * 3L + o % 3);
      }
    }
  }

  @Test
  void theBlockSizeOfTheFileShowsThePlainFile() {
    assertThat(Interleave.blocks(Layout.striped(4096, 5), 4096)).isEqualTo(View.WHOLE);
  }

  @Test
  void aBlockThatDividesTheUnitCostsNothing() {
    View view = Interleave.blocks(Layout.striped(1 << 20, 4), 1);
    assertThat(view.offsetOf(5)).isEqualTo((1 << 20) + 1);
    assertThat(view.tile().runCount()).isEqualTo(4L << 20); // symbolic: two loops
  }
}
