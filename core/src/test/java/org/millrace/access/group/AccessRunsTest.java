package org.millrace.access.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.testing.Seeds;

/** Accesses kept as runs are the same accesses, and few runs where ranks want alike. */
final class AccessRunsTest {

  private static List<Access> any(Random random) {
    List<Access> list = new ArrayList<>();
    int ranks = 1 + random.nextInt(12);
    long at = random.nextInt(50);
    for (int rank = 0; rank < ranks; rank++) {
      at =
          random.nextInt(4) == 0
              ? random.nextInt(200)
              : Math.max(0, at + random.nextInt(3) * 7L - 7);
      int runs = 1 + random.nextInt(2);
      Pattern tile = Pattern.loop(runs, 10, Pattern.run(3));
      list.add(
          random.nextInt(6) == 0
              ? Access.NOTHING
              : new Access(new View(at, tile, 30), 0, tile.size()));
    }
    return list;
  }

  @Test
  void theListIsTheSame() {
    for (long seed : Seeds.of(300)) {
      List<Access> list = any(new Random(seed));
      AccessRuns runs = AccessRuns.of(list);
      assertThat(runs).as(Seeds.replay(seed)).isEqualTo(list);
      assertThat(list).isEqualTo(runs);
      assertThat(runs.hashCode()).isEqualTo(list.hashCode());
      assertThat(AccessRuns.of(new ArrayList<>(runs))).isEqualTo(runs);
    }
  }

  @Test
  void ranksThatMeetAnExtentAreThoseWhoseSpansDo() {
    for (long seed : Seeds.of(300)) {
      Random random = new Random(seed);
      List<Access> list = any(random);
      AccessRuns runs = AccessRuns.of(list);
      for (int i = 0; i < 20; i++) {
        Extent within = new Extent(random.nextInt(230), 1 + random.nextInt(60));
        int[] naive =
            IntStream.range(0, list.size())
                .filter(rank -> !list.get(rank).isEmpty())
                .filter(rank -> !list.get(rank).span().intersect(within).isEmpty())
                .toArray();
        assertThat(runs.meeting(within).toArray()).as(Seeds.replay(seed)).isEqualTo(naive);
      }
      Extent all = new Extent(0, Long.MAX_VALUE);
      assertThat(runs.meeting(all).count())
          .isEqualTo(list.stream().filter(one -> !one.isEmpty()).count());
    }
  }

  @Test
  void partsAtEqualDistancesAreOneRunHoweverMany() {
    List<Access> blocks = new ArrayList<>();
    List<Access> irregular = new ArrayList<>();
    Random random = new Random(1);
    for (int rank = 0; rank < 4096; rank++) {
      blocks.add(new Access(new View(512L * rank, Pattern.run(512), 512), 0, 512));
      irregular.add(new Access(new View(random.nextInt(1 << 30), Pattern.run(512), 512), 0, 512));
    }
    assertThat(AccessRuns.of(blocks).runs()).hasSize(1);
    assertThat(AccessRuns.of(irregular).runs()).hasSizeGreaterThan(1000); // control
  }
}
