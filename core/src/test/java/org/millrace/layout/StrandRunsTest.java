package org.millrace.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Flat;
import org.millrace.access.Pattern;
import org.millrace.access.RandomPatterns;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.access.Worlds;
import org.millrace.testing.Seeds;

final class StrandRunsTest {

  /** One strand's vectors against the view's own offsets, in the order of positions. */
  private static void check(Layout layout, View view, int from, int to) {
    StrandRuns runs = new StrandRuns();
    boolean[] touched = layout.touches(view, from, to);
    int found = 0;
    for (int strand = 0; strand < layout.strands(); strand++) {
      runs.reset(layout, strand, view, from, to);
      long last = -1;
      int before = found;
      while (runs.next()) {
        for (long i = 0; i < runs.count(); i++) {
          for (long k = 0; k < runs.length(); k++) {
            long position = runs.position() + i * runs.length() + k;
            long offset = runs.offset() + i * runs.stride() + k;
            long expected = view.offsetOf(position);
            if (position <= last
                || position < from
                || position >= to
                || layout.strandOf(expected) != strand
                || layout.strandOffset(expected) != offset) {
              throw new AssertionError(
                  view
                      + " ["
                      + from
                      + ","
                      + to
                      + ") on strand "
                      + strand
                      + " of "
                      + layout
                      + ": position "
                      + position
                      + " at "
                      + offset);
            }
            last = position;
            found++;
          }
        }
      }
      if (touched[strand] != found > before) {
        throw new AssertionError(view + ": touches says " + touched[strand] + " for " + strand);
      }
    }
    // Each strand's positions strictly grow and are right, so the count shows that none is missing.
    if (found != to - from) {
      throw new AssertionError(
          view + " [" + from + "," + to + ") over " + layout + ": " + found + " bytes");
    }
  }

  private static List<View> views() {
    List<Flat> tiles = new ArrayList<>(Worlds.kinds());
    tiles.addAll(
        Worlds.loops(1, new long[] {2, 3, 5}, new long[] {-7, -1, 0, 1, 2, 3, 6, 12, 13}, 3));
    tiles.addAll(Worlds.loops(2, new long[] {2, 3}, new long[] {-6, 0, 2, 5, 24}, 2));
    tiles.addAll(Worlds.lists(2, 3));
    List<View> views = new ArrayList<>();
    for (Flat tile : tiles) {
      for (long extent : new long[] {1, 6, 12, 25}) {
        if (tile.offsets().length > 0) {
          views.add(new View(1 - tile.first(), tile.pattern(), extent));
        }
      }
    }
    views.add(View.WHOLE);
    views.add(View.from(5));
    return views;
  }

  @Test
  void theStrandsOfAllSmallViewsAreTheView() {
    for (View view : views()) {
      int positions = (int) Math.min(12, 2 * view.tile().size() + 3);
      for (int strands = 1; strands <= 4; strands++) {
        for (int unit : new int[] {1, 2, 3, 6}) {
          Layout layout = Layout.striped(unit, strands);
          for (int from = 0; from <= positions; from++) {
            for (int to = from; to <= positions; to++) {
              check(layout, view, from, to);
            }
          }
        }
      }
    }
  }

  @Test
  void everyRangeOfSomeViewsIsRight() {
    List<View> views = views();
    for (int i = 0; i < views.size(); i += 11) {
      for (int from = 0; from <= 20; from++) {
        for (int to = from; to <= 20; to++) {
          check(Layout.striped(4, 3), views.get(i), from, to);
        }
      }
    }
  }

  @Test
  void largeRandomViewsAreSplitWithoutLoss() {
    for (long seed : Seeds.of(20)) {
      Random random = new Random(seed);
      Pattern tile = RandomPatterns.ascending(random, random.nextInt(4));
      long extent = tile.end() - tile.first() + random.nextInt(3);
      View view = new View(Math.max(0, -tile.first()) + random.nextLong(1L << 45), tile, extent);
      Layout layout = Layout.striped(1L << random.nextInt(5, 21), 1 + random.nextInt(9));
      for (int i = 0; i < 50; i++) {
        long from = random.nextLong(1L << 30);
        long to = from + random.nextLong(100_000);
        long total = 0;
        for (int strand = 0; strand < layout.strands(); strand++) {
          StrandRuns runs = StrandRuns.of(layout, strand, view, from, to);
          while (runs.next()) {
            long offset = view.offsetOf(runs.position());
            assertThat(layout.strandOf(offset)).as(Seeds.replay(seed)).isEqualTo(strand);
            assertThat(layout.strandOffset(offset)).as(Seeds.replay(seed)).isEqualTo(runs.offset());
            long end = runs.position() + runs.count() * runs.length();
            assertThat(layout.strandOffset(view.offsetOf(end - 1)))
                .as(Seeds.replay(seed))
                .isEqualTo(runs.offset() + (runs.count() - 1) * runs.stride() + runs.length() - 1);
            total += end - runs.position();
          }
        }
        assertThat(total).as(Seeds.replay(seed)).isEqualTo(to - from);
      }
    }
  }

  @Test
  void oneStrandSplitsNothing() {
    View view = new View(100, Pattern.loop(5, 300, Pattern.run(200)), 10_000);
    StrandRuns strand = StrandRuns.of(Layout.striped(64, 1), 0, view, 50, 900);
    Runs runs = view.runs(50, 900);
    while (runs.next()) {
      assertThat(strand.next()).isTrue();
      assertThat(strand.offset()).isEqualTo(runs.offset());
      assertThat(strand.length()).isEqualTo(runs.length());
      assertThat(strand.count()).isEqualTo(runs.count());
      assertThat(strand.stride()).isEqualTo(runs.stride());
      assertThat(strand.position()).isEqualTo(runs.position());
    }
    assertThat(strand.next()).isFalse();
  }

  @Test
  void runsOneRoundApartAreOneVectorOfTheStrand() {
    Layout layout = Layout.striped(1 << 20, 4);
    View view = new View((1 << 20) + 8, Pattern.run(8), 4 << 20);
    StrandRuns runs = StrandRuns.of(layout, 1, view, 0, 8_000_000_000L);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(8);
    assertThat(runs.stride()).isEqualTo(1 << 20);
    assertThat(runs.count()).isEqualTo(1_000_000_000);
    assertThat(runs.next()).isFalse();
    // The others have nothing, and need not walk to see it.
    assertThat(layout.touches(view, 0, 8_000_000_000L)).containsExactly(false, true, false, false);
  }

  @Test
  void runsThatCreepAreOneVectorAsLongAsTheyStayInTheUnit() {
    Layout layout = Layout.striped(1 << 20, 4);
    View view = new View(0, Pattern.run(8), (4 << 20) - 8);
    StrandRuns runs = StrandRuns.of(layout, 3, view, 0, 8 * (1 << 17) * 2);
    // Run 0 lies on strand 0; the next ones creep down through strand 3.
    assertThat(runs.next()).isTrue();
    assertThat(runs.position()).isEqualTo(8);
    assertThat(runs.count()).isEqualTo(1 << 17);
    assertThat(runs.stride()).isEqualTo((1 << 20) - 8);
    assertThat(runs.next()).isFalse();
  }

  @Test
  void stepsAllocateNothingAndResetsNeither() {
    Layout layout = Layout.striped(65536, 4);
    View view = new View(0, Pattern.loop(100, 4096, Pattern.run(8)), 1 << 20);
    StrandRuns runs = StrandRuns.of(layout, 0, view, 0, 1);
    ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] bytes = new long[2];
    for (int round = 0; round < 2; round++) {
      long before = bean.getCurrentThreadAllocatedBytes();
      for (int strand = 0; strand < 4; strand++) {
        runs.reset(layout, strand, view, 0, 800_000);
        while (runs.next()) {
          bytes[round] += 0;
        }
      }
      bytes[round] = bean.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(bytes[1]).as(Arrays.toString(bytes)).isLessThan(256);
  }

  @Test
  void unknownStrandsAreRefused() {
    assertThatThrownBy(() -> StrandRuns.of(Layout.striped(4, 2), 2, View.WHOLE, 0, 1))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("2");
    assertThat(StrandRuns.of(Layout.striped(4, 2), 0, View.EMPTY, 0, 0).next()).isFalse();
  }
}
