package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.access.group.AccessRuns;
import org.millrace.testing.Seeds;

/** Whether ranks overlap: never a false "no", and "no" wherever arrays are distributed. */
class OverlapsTest {

  @Test
  void ofAllPairsOfSmallAccessesNoneIsCalledApartThatOverlaps() {
    List<Access> all = SmallAccesses.all();
    int apart = 0;
    int found = 0;
    for (Access a : all) {
      for (Access b : all) {
        Request request = SmallAccesses.request(true, a, b);
        boolean overlap = SmallAccesses.overlap(request);
        boolean answer = Overlaps.between(request.accesses());
        assertThat(answer || !overlap).as("%s and %s", a, b).isTrue();
        apart += overlap ? 0 : 1;
        found += answer ? 0 : 1;
        if (a.view().isAscending() && b.view().isAscending()) {
          assertThat(answer).as("%s and %s", a, b).isEqualTo(overlap);
        }
      }
    }
    assertThat(found).isGreaterThan(apart * 9 / 10);
  }

  @Test
  void randomGroupsAreNeverCalledApartWhenTheyOverlap() {
    for (long seed : Seeds.of(4)) {
      Random random = new Random(seed);
      for (int i = 0; i < 4000; i++) {
        Request request = SmallAccesses.request(true, SmallAccesses.any(random));
        boolean overlap = SmallAccesses.overlap(request);
        assertThat(Overlaps.between(request.accesses()) || !overlap)
            .as("%s; %s", request, Seeds.replay(seed))
            .isTrue();
      }
    }
  }

  @Test
  void runsOfRanksAreNeverCalledApartWhenTheyOverlap() {
    int apart = 0;
    for (long seed : Seeds.of(4)) {
      Random random = new Random(seed);
      for (int i = 0; i < 4000; i++) {
        List<Access> some =
            i % 2 == 0 ? SmallAccesses.any(random) : SmallAccesses.distributed(random);
        Request request = SmallAccesses.request(true, some);
        boolean overlap = SmallAccesses.overlap(request);
        boolean answer = Overlaps.between(AccessRuns.of(some));
        assertThat(answer || !overlap).as("%s; %s", request, Seeds.replay(seed)).isTrue();
        assertThat(!answer || Overlaps.between(some)).as(Seeds.replay(seed)).isTrue();
        apart += answer ? 0 : 1;
      }
    }
    assertThat(apart).isGreaterThan(1000);
  }

  @Test
  void thousandsOfRanksThatWantAlikeTakeAFewSteps() {
    List<AccessRuns.Run> rows = new ArrayList<>();
    Pattern tile = Pattern.loop(256, 64 * 2048, Pattern.run(2048));
    for (int row = 0; row < 64; row++) {
      View view = new View(row * 256L * 64 * 2048, tile, tile.end());
      rows.add(new AccessRuns.Run(new Access(view, 0, tile.size()), 64, 2048));
    }
    DisjointLoops circle = new DisjointLoops();
    assertThat(Overlaps.between(new AccessRuns(rows), circle)).isFalse();
    assertThat(circle.looked()).isZero(); // rows of tiles lie apart, and are looked at as rows
    View first = new View(2047, tile, tile.end()); // control: one byte too early
    rows.add(new AccessRuns.Run(new Access(first, 0, tile.size()), 1, 0));
    assertThat(Overlaps.between(new AccessRuns(rows))).isTrue();
  }

  @Test
  void partsOfDistributedArraysAreApartAndKnownToBe() {
    for (long seed : Seeds.of(4)) {
      Random random = new Random(seed);
      for (int i = 0; i < 3000; i++) {
        List<Access> accesses = SmallAccesses.distributed(random);
        Request request = SmallAccesses.request(true, accesses);
        boolean answer = Overlaps.between(accesses);
        assertThat(answer)
            .as("%s; %s", request, Seeds.replay(seed))
            .isEqualTo(SmallAccesses.overlap(request));
      }
    }
  }

  @Test
  void thousandRanksOfLargeArraysTakeFewSteps() {
    Shape shape = Shape.columnMajor(4096, 4096);
    Shape cube = Shape.rowMajor(1000, 1001, 1003);
    List<Distribution> all = new ArrayList<>();
    for (Spread first : kinds()) {
      all.add(Distribution.of(shape, Grid.of(1024, 1), first, Spread.none()));
      all.add(Distribution.of(shape, Grid.of(1, 1024), Spread.none(), first));
      for (Spread second : kinds()) {
        all.add(Distribution.of(shape, Grid.of(32, 32), first, second));
        all.add(Distribution.of(cube, Grid.of(16, 8, 8), first, second, Spread.cyclic()));
      }
    }
    for (Distribution one : all) {
      List<Access> accesses = new ArrayList<>();
      for (int rank = 0; rank < 1024; rank++) {
        Pattern part = one.part(rank, 8);
        accesses.add(new Access(new View(128, part, one.shape().bytes(8)), 0, part.size()));
      }
      assertThat(Overlaps.between(accesses)).as("%s", one).isFalse();
      accesses.set(700, accesses.get(699));
      assertThat(Overlaps.between(accesses)).as("%s", one).isTrue();
    }
  }

  private static List<Spread> kinds() {
    return List.of(Spread.block(), Spread.cyclic(), Spread.blockCyclic(3));
  }

  @Test
  void interleavedViewsOverManyTilesAreApart() {
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < 16; rank++) {
      View view = new View(rank * 100L, Pattern.run(100), 1600);
      accesses.add(new Access(view, 7, 7 + (1L << 40)));
    }
    assertThat(Overlaps.between(accesses)).isFalse();
    accesses.add(new Access(View.from(1L << 30), 0, 1));
    assertThat(Overlaps.between(accesses)).isTrue();
  }

  @Test
  void workGrowsWithRanksAndDepthButNotWithRuns() {
    for (long count : new long[] {10, 1_000_000, 1_000_000_000}) {
      List<Access> accesses = new ArrayList<>();
      for (int rank = 0; rank < 100; rank++) {
        Pattern row = Pattern.loop(count, 160, Pattern.run(16));
        Pattern rows = Pattern.loop(5, 10 * count * 160, row);
        View view = new View(rank % 10 * 16L + rank / 10 * (count * 160), rows, 1L << 50);
        accesses.add(new Access(view, 0, rows.size()));
      }
      DisjointLoops circle = new DisjointLoops();
      assertThat(Overlaps.between(accesses, circle)).isFalse();
      assertThat(circle.looked()).isBetween(100, 300);
    }
  }

  @Test
  void emptyAndLonelyRanksOverlapNobody() {
    Access twice = new Access(new View(0, Pattern.loop(2, 0, Pattern.run(4)), 4), 0, 8);
    assertThat(Overlaps.between(List.of(Access.NOTHING, twice, Access.NOTHING))).isFalse();
    assertThat(Overlaps.between(List.of(twice, twice))).isTrue();
  }
}
