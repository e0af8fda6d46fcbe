package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/** When ranks of a disk-directed call speak only to strands that have something of theirs. */
final class TilingTest {

  private static final int UNIT = 4096;
  private static final int RANKS = 8;

  /** Runs dealt to the ranks in turn. */
  private static List<Access> dealt(int run, int runs) {
    List<Access> all = new ArrayList<>();
    for (int r = 0; r < RANKS; r++) {
      View view = new View(1000 + (long) r * run, Pattern.run(run), (long) RANKS * run);
      all.add(new Access(view, 0, (long) runs * run));
    }
    return all;
  }

  private static Request request(int strands, List<Access> accesses) {
    return new Request(false, Layout.striped(UNIT, strands), accesses);
  }

  @Test
  void paysWhereEveryByteOfAStretchIsWantedOnceAndRanksTouchFewStrands() {
    assertThat(DirectTiling.pays(request(64, dealt(UNIT, 8)))).isTrue();
    assertThat(DirectTiling.pays(request(8, dealt(UNIT, 8)))).as("few strands").isFalse();
    assertThat(DirectTiling.pays(request(64, dealt(UNIT / 4, 1000)))).as("all touched").isFalse();
    assertThat(Planner.strands(request(64, dealt(UNIT, 2))))
        .isEqualTo(DirectTiling.strands(Layout.striped(UNIT, 64), new Extent(1000, 16 * UNIT)));
  }

  @Test
  void doesNotWhereBytesAreMissingOrWantedTwice() {
    List<Access> gap = dealt(UNIT, 8);
    gap.set(3, Access.NOTHING);
    assertThat(DirectTiling.pays(request(64, gap))).isFalse();
    List<Access> both = dealt(UNIT, 8);
    both.set(3, both.get(4)); // as many bytes as before: one rank's twice, another's never
    assertThat(DirectTiling.pays(request(64, both))).isFalse();
    List<Access> end = dealt(UNIT, 8);
    end.set(7, Access.NOTHING); // gaps within the span
    assertThat(DirectTiling.pays(request(64, end))).isFalse();
  }

  @Test
  void rowsOfUnequalLengthTileToo() {
    List<Access> parts = new ArrayList<>();
    long at = 0;
    for (int r = 0; r < RANKS; r++) {
      long length = 1000L * (r + 1);
      parts.add(new Access(View.WHOLE, at, at + length));
      at += length;
    }
    parts.add(Access.NOTHING);
    assertThat(DirectTiling.pays(request(64, parts))).isTrue();
  }

  @Test
  void roundsAreAboutExtentsThatFillTheSpanAndShareNothing() {
    Request request = request(64, dealt(UNIT, 8));
    DirectRounds rounds = DirectRounds.of(request, false, true, 3000);
    long at = request.span().offset();
    while (rounds.hasNext()) {
      List<Access> parts = rounds.next();
      assertThat(rounds.extent().offset()).isEqualTo(at);
      at = rounds.extent().end();
      long bytes = parts.stream().mapToLong(Access::size).sum();
      assertThat(bytes).isEqualTo(rounds.extent().length());
      for (Access part : parts) {
        assertThat(part.isEmpty() || rounds.extent().intersect(part.span()).equals(part.span()))
            .isTrue();
      }
    }
    assertThat(at).isEqualTo(request.span().end());
  }

  @Test
  void aChunkIsSearchedForTheRanksThatWantSomethingOfItsDomainOnly() {
    List<Access> parts = new ArrayList<>();
    for (int r = 0; r < RANKS; r++) {
      parts.add(new Access(View.WHOLE, 1000L * r, 1000L * (r + 1)));
    }
    PieceFinder finder = new PieceFinder(request(4, parts), new Extent(1500, 1000));
    assertThat(finder.partners()).isEqualTo(2);
    assertThat(finder.trim(new Extent(1500, 1000))).isEqualTo(new Extent(1500, 1000));
    assertThat(new PieceFinder(request(4, parts)).partners()).isEqualTo(RANKS);
  }
}
