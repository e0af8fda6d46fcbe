package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Which strands are wanted, against looking at every byte; and how soon that is known. */
final class StrandSearchTest {

  @Test
  void theStrandsAreThoseOfTheWantedBytes() {
    List<Access> some = SmallAccesses.all();
    for (long seed : Seeds.of(300)) {
      Random random = new Random(seed);
      Layout layout = Layout.striped(1 + random.nextInt(4), 1 + random.nextInt(6));
      List<Access> accesses = new ArrayList<>();
      int ranks = 1 + random.nextInt(7);
      for (int i = 0; i < ranks; i++) {
        accesses.add(
            random.nextInt(4) == 0 ? Access.NOTHING : some.get(random.nextInt(some.size())));
      }
      TreeSet<Integer> naive = new TreeSet<>();
      for (Access one : accesses) {
        for (long position = one.from(); position < one.to(); position++) {
          naive.add(layout.strandOf(one.view().offsetOf(position)));
        }
      }
      assertThat(StrandSearch.of(new Request(false, layout, accesses)).strands())
          .as(Seeds.replay(seed))
          .containsExactlyElementsOf(naive);
    }
  }

  @Test
  void aFewRanksOfThousandsShowThatAllStrandsAreWanted() {
    int ranks = 4096;
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      Pattern records = Pattern.loop(128, 4096L * ranks, Pattern.run(4096));
      accesses.add(new Access(new View(4096L * rank, records, 1L << 40), 0, records.size()));
    }
    Request request = new Request(false, Layout.striped(1 << 16, ranks), accesses);
    StrandSearch search = StrandSearch.of(request);
    assertThat(search.strands()).hasSize(ranks);
    assertThat(search.steps()).isLessThan(64L * ranks);
  }
}
