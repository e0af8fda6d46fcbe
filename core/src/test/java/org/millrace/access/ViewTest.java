package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

final class ViewTest {

  private static List<Flat> tiles() {
    List<Flat> tiles = new ArrayList<>(Worlds.kinds());
    tiles.addAll(Worlds.loops(1, new long[] {2, 3}, new long[] {-3, -1, 0, 1, 2, 4}, 2));
    tiles.addAll(Worlds.loops(2, new long[] {2}, new long[] {-2, 1, 2, 4, 8}, 2));
    tiles.addAll(Worlds.lists(2, 4));
    for (Flat child : Worlds.kinds()) {
      tiles.add(Flat.sequence(2, child, 11, Flat.run(2)));
    }
    return tiles;
  }

  private static long[] offsets(long displacement, Flat tile, long extent, int positions) {
    long[] offsets = new long[positions];
    int n = tile.offsets().length;
    Arrays.setAll(offsets, p -> displacement + p / n * extent + tile.offsets()[p % n]);
    return offsets;
  }

  @Test
  void allSmallViewsAgreeWithTheOracle() {
    for (Flat tile : tiles()) {
      if (tile.offsets().length == 0) {
        continue;
      }
      for (long displacement : new long[] {-tile.first(), 12}) {
        for (long extent : new long[] {0, 1, 2, 4, 6, 8, 9, 16, 21}) {
          View view = new View(displacement, tile.pattern(), extent);
          int positions = Math.min(20, tile.offsets().length * 3 + 1);
          check(view, tile, extent, offsets(displacement, tile, extent, positions));
        }
      }
    }
  }

  private static void check(View view, Flat tile, long extent, long[] offsets) {
    int n = offsets.length;
    for (int p = 0; p < n; p++) {
      same(view, "offsetOf " + p, offsets[p], view.offsetOf(p));
    }
    // Enough tiles to see whatever there is between two of them.
    Flat many = new Flat(Pattern.EMPTY, offsets(view.displacement() + 9, tile, extent, 40 * n));
    same(view, "isAscending", many.isAscending(), view.isAscending());
    same(view, "isContiguous", many.isContiguous(), view.isContiguous());
    same(view, "isDisjoint", many.isDisjoint(), view.isDisjoint());
    if (view.isAscending()) {
      for (long offset = 0; offset <= offsets[n - 1]; offset++) {
        long at = offset;
        long below = Arrays.stream(offsets).filter(o -> o < at).count();
        same(view, "positionOf " + offset, below, view.positionOf(offset));
      }
    }
    Runs runs = new Runs();
    for (int from = 0; from <= n; from++) {
      for (int to = from; to <= n; to++) {
        runs.reset(view, from, to);
        Flat.walk(view, offsets, runs, from, to, 0, Long.MAX_VALUE);
        checkSpan(view, offsets, from, to);
      }
    }
    long end = Arrays.stream(offsets).max().getAsLong() + 2;
    for (long low = 0; low <= end; low++) {
      for (long high = low; high <= end; high += 1 + (high - low) / 5) {
        runs.reset(view, 1, n - 1 < 1 ? 1 : n - 1, low, high);
        Flat.walk(view, offsets, runs, 1, Math.max(1, n - 1), low, high);
      }
    }
  }

  private static void checkSpan(View view, long[] offsets, int from, int to) {
    Extent span = view.span(from, to);
    long[] part = Arrays.copyOfRange(offsets, from, to);
    if (part.length == 0) {
      same(view, "length of an empty span", 0L, span.length());
    } else {
      same(view, "span offset", Arrays.stream(part).min().getAsLong(), span.offset());
      same(view, "span end", Arrays.stream(part).max().getAsLong() + 1, span.end());
    }
  }

  private static void same(View view, String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError(view + ": " + what + " is " + actual + ", not " + expected);
    }
  }

  @Test
  void aLoopThatTheTilingContinuesIsOneVector() {
    for (Pattern tile : List.of(Pattern.run(8), Pattern.loop(10, 16, Pattern.run(8)))) {
      View view = new View(100, tile, tile.end() + 8);
      Runs runs = view.runs(8, 8_000_000_008L);
      assertThat(runs.next()).isTrue();
      assertThat(runs.offset()).isEqualTo(116);
      assertThat(runs.stride()).isEqualTo(16);
      assertThat(runs.count()).isEqualTo(1_000_000_000L);
      assertThat(runs.next()).isFalse();
    }
  }

  @Test
  void viewsBuiltDifferentlyAreEqual() {
    assertThat(new View(0, Pattern.run(4096), 4096)).isEqualTo(View.WHOLE);
    assertThat(new View(4, Pattern.run(7), 7)).isEqualTo(View.from(4));
    assertThat(new View(4, Pattern.run(8).shifted(4), 16))
        .isEqualTo(new View(8, Pattern.run(8), 16));
    View view = new View(3, Pattern.loop(10, 16, Pattern.run(8)), 160);
    assertThat(view).isEqualTo(new View(3, Pattern.run(8), 16));
    assertThat(new View(view.displacement(), view.tile(), view.tileExtent())).isEqualTo(view);
  }

  /** Case 11: 10 blocks of 10 ints by 20 ints, at byte 1000. */
  @Test
  void anEndInAHoleIsThePositionOfTheNextByteOfTheView() {
    View view = new View(1000, Pattern.loop(10, 80, Pattern.run(40)), 760);
    assertThat(view.offsetOf(10 * 4)).isEqualTo(1080);
    assertThat(view.positionOf(1060)).isEqualTo(10 * 4);
    assertThat(view.positionOf(1000)).isZero();
    assertThat(view.positionOf(1039)).isEqualTo(39);
    // The extent is that of the vector: the eleventh block follows the tenth at once.
    assertThat(view.offsetOf(100 * 4)).isEqualTo(1760);
  }

  /** Case 12: ints r, r+2, r+4, ... of 5,000; both ranks' views tile the file. */
  @Test
  void twoInterleavedViewsShareTheFileIntByInt() {
    int[] fileA = new int[10_000];
    int[] fileC = new int[10_000];
    for (int rank = 0; rank < 2; rank++) {
      View view = new View(4L * rank, Pattern.loop(2500, 8, Pattern.run(4)), 20_000);
      Runs runs = view.runs(0, 20_000);
      while (runs.next()) {
        for (long i = 0; i < runs.count() * runs.length() / 4; i++) {
          assertThat(runs.length()).isEqualTo(4);
          int at = Math.toIntExact((runs.offset() + i * runs.stride()) / 4);
          int element = Math.toIntExact(runs.position() / 4 + i);
          fileA[at] = 2 * element + rank + 5000 * rank;
          fileC[at] = element + 5000 * rank;
        }
      }
      assertThat(view).isEqualTo(new View(4L * rank, Pattern.run(4), 8));
    }
    for (int p = 0; p < 5000; p++) {
      assertThat(fileA[p]).isEqualTo(p + 5000 * (p % 2));
    }
    for (int p = 0; p < 10_000; p++) {
      assertThat(fileC[p]).isEqualTo(2500 * (p / 5000) + p % 5000 / 2 + 5000 * (p % 2));
    }
  }

  @Test
  void largeRandomViewsKeepTheirProperties() {
    for (long seed : Seeds.of(30)) {
      Random random = new Random(seed);
      Pattern tile = RandomPatterns.ascending(random, random.nextInt(4));
      long extent = tile.end() - tile.first() + random.nextInt(3) * random.nextLong(1 << 20);
      View view = new View(Math.max(0, -tile.first()) + random.nextLong(1L << 45), tile, extent);
      long limit = Math.min(view.positionLimit(), 1L << 55) - 4000;
      for (int i = 0; i < 300; i++) {
        long p = random.nextLong(limit);
        assertThat(view.positionOf(view.offsetOf(p))).as(Seeds.replay(seed)).isEqualTo(p);
        long to = p + 1 + random.nextLong(4000);
        long total = 0;
        Runs runs = view.runs(p, to);
        while (runs.next()) {
          assertThat(runs.position()).as(Seeds.replay(seed)).isEqualTo(p + total);
          assertThat(runs.offset()).as(Seeds.replay(seed)).isEqualTo(view.offsetOf(p + total));
          total += runs.count() * runs.length();
        }
        assertThat(total).as(Seeds.replay(seed)).isEqualTo(to - p);
        Extent span = view.span(p, to);
        runs = view.runs(0, Long.MAX_VALUE, span.offset(), span.end());
        total = 0;
        while (runs.next()) {
          total += runs.count() * runs.length();
        }
        assertThat(total).as(Seeds.replay(seed)).isEqualTo(to - p);
      }
    }
  }

  @Test
  void anEmptyViewAllowsAccessesOfNoBytes() {
    assertThat(View.EMPTY.runs(0, 0).next()).isFalse();
    assertThat(View.EMPTY.runs(7, 7).next()).isFalse();
    assertThat(View.EMPTY.runs(0, 100, 0, 100).next()).isFalse();
    assertThat(View.EMPTY.span(3, 3)).isEqualTo(new Extent(0, 0));
    assertThat(View.EMPTY.positionOf(1000)).isZero();
    assertThat(View.EMPTY.isAscending()).isTrue();
    assertThat(View.EMPTY.isDisjoint()).isTrue();
    assertThat(new View(9, Pattern.loop(0, 4, Pattern.run(3)), 77).isEmpty()).isTrue();
    assertThatThrownBy(() -> View.EMPTY.runs(0, 1))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("empty");
    assertThatThrownBy(() -> View.EMPTY.offsetOf(0)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void wrongArgumentsAreRefusedWithTheirValues() {
    assertThatThrownBy(() -> new View(-1, Pattern.run(1), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> new View(3, Pattern.run(1).shifted(-4), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> new View(0, Pattern.run(1), -16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-16");
    assertThatThrownBy(() -> new View(Long.MAX_VALUE, Pattern.run(2), 16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2^63-1");
    View view = new View(0, Pattern.run(8), 1L << 40);
    assertThatThrownBy(() -> view.offsetOf(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.offsetOf(1L << 40))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("largest file offset");
    assertThatThrownBy(() -> view.runs(0, 1L << 40)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> view.runs(4, 3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.runs(-4, 3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.span(0, Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> view.positionOf(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new View(0, Pattern.run(8), 4).positionOf(0))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theWholeFileReachesTheLargestOffset() {
    assertThat(View.WHOLE.offsetOf(Long.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE - 1);
    Runs runs = View.WHOLE.runs(Long.MAX_VALUE - 5, Long.MAX_VALUE);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(Long.MAX_VALUE - 5);
    assertThat(runs.length()).isEqualTo(5);
    assertThat(runs.next()).isFalse();
    assertThat(View.WHOLE.positionOf(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }
}
