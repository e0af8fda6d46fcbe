package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.access.group.BlockSpans;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Which blocks of which strands ranks want together, against a look at every byte. */
final class StrandSpansTest {

  private static final int BLOCK = Layout.MIN_BLOCK_BYTES;

  private static Request request(Random random) {
    List<Access> some = SmallAccesses.all();
    Layout layout =
        Layout.striped(1 + random.nextInt(9), 1 + random.nextInt(5)).withBlockBytes(BLOCK);
    List<Access> accesses = new ArrayList<>();
    int ranks = 1 + random.nextInt(6);
    for (int rank = 0; rank < ranks; rank++) {
      boolean again = rank > 0 && random.nextBoolean();
      accesses.add(again ? accesses.getLast() : some.get(random.nextInt(some.size())));
    }
    return new Request(random.nextBoolean(), layout, accesses);
  }

  @Test
  void allWantedBytesAreInThemAndTheyEndWhereTheseEnd() {
    for (long seed : Seeds.of(500)) {
      Request request = request(new Random(seed));
      Layout layout = request.layout();
      StrandSpans spans = Objects.requireNonNull(StrandSpans.of(request, 1000));
      long[] begins = new long[layout.strands()];
      long[] ends = new long[layout.strands()];
      for (int rank = 0; rank < request.ranks(); rank++) {
        Access one = request.accesses().get(rank);
        for (long position = one.from(); position < one.to(); position++) {
          long offset = one.view().offsetOf(position);
          int s = layout.strandOf(offset);
          long at = layout.strandOffset(offset);
          begins[s] = ends[s] == 0 ? at : Math.min(begins[s], at);
          ends[s] = Math.max(ends[s], at + 1);
          BlockSpans of = of(spans, s);
          int block = (int) (at / BLOCK - of.first());
          assertThat((int) (at % BLOCK))
              .as(Seeds.replay(seed))
              .isBetween(of.from(block), of.to(block) - 1);
        }
        boolean like = rank > 0 && one.equals(request.accesses().get(rank - 1));
        assertThat(spans.isLikeBefore(rank)).as(Seeds.replay(seed)).isEqualTo(like);
      }
      for (int i = 0; i < spans.count(); i++) {
        int s = spans.strand(i);
        assertThat(spans.spans(i).begin()).as(Seeds.replay(seed)).isEqualTo(begins[s]);
        assertThat(spans.spans(i).end()).as(Seeds.replay(seed)).isEqualTo(ends[s]);
      }
    }
  }

  private static BlockSpans of(StrandSpans spans, int strand) {
    for (int i = 0; i < spans.count(); i++) {
      if (spans.strand(i) == strand) {
        return spans.spans(i);
      }
    }
    throw new AssertionError("nothing is wanted of strand " + strand);
  }

  @Test
  void aRequestOfManyBlocksOrOfManyRanksOnManyStrandsHasNone() {
    Access far = new Access(View.WHOLE, 0, 100L * BLOCK);
    Layout layout = Layout.striped(BLOCK, 4).withBlockBytes(BLOCK);
    assertThat(StrandSpans.of(new Request(false, layout, List.of(far)), 104)).isNotNull();
    assertThat(StrandSpans.of(new Request(false, layout, List.of(far)), 103)).isNull();
    List<Access> many = Collections.nCopies(60, new Access(far.view(), 0, 1));
    assertThat(StrandSpans.of(new Request(false, layout, many), 120)).isNotNull();
    assertThat(StrandSpans.of(new Request(false, layout, many), 119)).isNull();
  }
}
