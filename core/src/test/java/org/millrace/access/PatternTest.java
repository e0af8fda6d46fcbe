package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

final class PatternTest {

  private static final long[] STRIDES = {-5, -3, -2, -1, 0, 1, 2, 3, 4, 7};

  @Test
  void allSmallLoopsAgreeWithTheOracle() {
    Worlds.loops(0, STRIDES, STRIDES, 5).forEach(Flat::checkWindows);
    Worlds.loops(1, new long[] {0, 1, 2, 3, 4}, STRIDES, 3).forEach(Flat::checkWindows);
    Worlds.loops(2, new long[] {1, 2, 3}, STRIDES, 3).forEach(Flat::check);
  }

  @Test
  void allLoopsOfDepthThreeAgreeWithTheOracle() {
    Worlds.loops(3, new long[] {2, 3}, new long[] {-5, -1, 0, 1, 2, 6}, 2).forEach(Flat::check);
    Worlds.loops(3, new long[] {2}, new long[] {-3, 1, 2, 4, 9}, 1).forEach(Flat::checkWindows);
  }

  @Test
  void allSequencesOfTwoAgreeWithTheOracle() {
    Worlds.sequences(-4, 9).forEach(Flat::check);
  }

  @Test
  void loopsOverSequencesAgreeWithTheOracle() {
    for (Flat body : Worlds.sequences(-1, 5)) {
      for (long stride : new long[] {-7, 0, 3, 8, 12}) {
        Flat.loop(3, stride, body).check();
      }
    }
  }

  @Test
  void sequencesOfSequencesAgreeWithTheOracle() {
    List<Flat> some = Worlds.sequences(2, 6);
    for (int i = 0; i + 7 < some.size(); i += 3) {
      Flat.sequence(-2, some.get(i), 9, some.get(i + 7)).check();
    }
  }

  @Test
  void allSmallIndexListsAgreeWithTheOracle() {
    Worlds.lists(1, 6).forEach(Flat::checkWindows);
    Worlds.lists(2, 6).forEach(Flat::checkWindows);
    Worlds.lists(3, 6).forEach(Flat::check);
  }

  @Test
  void loopsOverIndexListsAgreeWithTheOracle() {
    for (Flat list : Worlds.lists(2, 4)) {
      for (long stride : new long[] {-5, 0, 2, 6}) {
        Flat.loop(3, stride, list).check();
      }
    }
  }

  @Test
  void normalFormsAreSimple() {
    assertThat(Pattern.loop(5, 8, Pattern.run(8))).isEqualTo(Pattern.run(40));
    assertThat(Pattern.loop(1, 99, Pattern.run(8))).isEqualTo(Pattern.run(8));
    assertThat(Pattern.loop(3, 40, Pattern.loop(5, 8, Pattern.run(4))))
        .isEqualTo(Pattern.loop(15, 8, Pattern.run(4)));
    assertThat(Pattern.loop(0, 8, Pattern.run(8))).isSameAs(Pattern.EMPTY);
    assertThat(Pattern.loop(7, 8, Pattern.EMPTY)).isSameAs(Pattern.EMPTY);
    assertThat(Pattern.sequence(List.of())).isSameAs(Pattern.EMPTY);
    assertThat(Pattern.indexed(new long[] {4, 8, 9}, new long[] {4, 1, 3}))
        .isEqualTo(Pattern.run(8).shifted(4));
    assertThat(Pattern.run(8).shifted(4).shifted(-4)).isEqualTo(Pattern.run(8));
    assertThat(Pattern.loop(2, 16, Pattern.run(8).shifted(4)))
        .isEqualTo(Pattern.loop(2, 16, Pattern.run(8)).shifted(4));
  }

  @Test
  void equalPatternsHaveEqualHashes() {
    Pattern a = Worlds.sequences(2, 2).get(9).pattern();
    Pattern b = Worlds.sequences(2, 2).get(9).pattern();
    assertThat(a).isEqualTo(b).hasSameHashCodeAs(b);
    assertThat(a).isNotEqualTo(Worlds.sequences(2, 2).get(11).pattern());
  }

  @Test
  void outsideOfThePackageASwitchOverTheKindsIsExhaustive() {
    Pattern pattern = Pattern.loop(2, 8, Pattern.run(4));
    String kind =
        switch (pattern) {
          case Run run -> "run of " + run.length();
          case Loop loop -> "loop of " + loop.count() + " by " + loop.stride();
          case Sequence sequence -> "sequence of " + sequence.children().size();
          case Indexed indexed -> "list of " + indexed.entries();
        };
    assertThat(kind).isEqualTo("loop of 2 by 8");
  }

  @Test
  void disjointnessOfHugePatternsIsFoundByArithmetic() {
    long n = 1L << 20;
    Pattern transposed = Pattern.loop(n, 8, Pattern.loop(n, 8 * n, Pattern.run(8)));
    assertThat(transposed.isAscending()).isFalse();
    assertThat(transposed.isDisjoint()).isTrue();
    assertThat(Pattern.loop(n, -8, Pattern.run(8)).isDisjoint()).isTrue();
    assertThat(Pattern.loop(n * n, 7, Pattern.run(8)).isDisjoint()).isFalse();
    // even and odd offsets, though no stride clears what the other spans
    Pattern interlocked = Pattern.loop(2, 3, Pattern.loop(n, 2, Pattern.run(1)));
    assertThat(interlocked.isDisjoint()).isTrue();
  }

  @Test
  void largeRandomPatternsKeepTheirProperties() {
    for (long seed : Seeds.of(40)) {
      Random random = new Random(seed);
      Pattern pattern = RandomPatterns.ascending(random, 1 + random.nextInt(5));
      assertThat(pattern.isAscending()).as(Seeds.replay(seed)).isTrue();
      for (int i = 0; i < 300; i++) {
        long p = random.nextLong(pattern.size());
        long offset = pattern.offsetOf(p);
        assertThat(pattern.positionOf(offset)).as(Seeds.replay(seed)).isEqualTo(p);
        assertThat(pattern.selects(offset)).as(Seeds.replay(seed)).isTrue();
        long q = Math.min(pattern.size(), p + random.nextLong(2000));
        checkRange(pattern, p, q, seed);
        checkWindow(pattern, p, q, seed);
      }
    }
  }

  private static void checkRange(Pattern pattern, long from, long to, long seed) {
    long p = from;
    Runs runs = pattern.runs(from, to);
    while (runs.next()) {
      assertThat(runs.position()).as(Seeds.replay(seed)).isEqualTo(p);
      assertThat(runs.offset()).as(Seeds.replay(seed)).isEqualTo(pattern.offsetOf(p));
      p += runs.count() * runs.length();
      assertThat(runs.offset() + (runs.count() - 1) * runs.stride() + runs.length() - 1)
          .as(Seeds.replay(seed))
          .isEqualTo(pattern.offsetOf(p - 1));
    }
    assertThat(p).as(Seeds.replay(seed)).isEqualTo(to);
  }

  /** The window of offsets that holds just these positions gives the same bytes as they do. */
  private static void checkWindow(Pattern pattern, long from, long to, long seed) {
    if (from == to) {
      return;
    }
    long p = from;
    Runs runs =
        pattern.runs(0, pattern.size(), pattern.offsetOf(from), pattern.offsetOf(to - 1) + 1);
    while (runs.next()) {
      assertThat(runs.position()).as(Seeds.replay(seed)).isEqualTo(p);
      assertThat(runs.offset()).as(Seeds.replay(seed)).isEqualTo(pattern.offsetOf(p));
      p += runs.count() * runs.length();
    }
    assertThat(p).as(Seeds.replay(seed)).isEqualTo(to);
  }

  @Test
  void largeRandomPatternsOfAnySignAreCutByWindowsExactly() {
    for (long seed : Seeds.of(40)) {
      Random random = new Random(seed);
      Pattern pattern = RandomPatterns.any(random, 1 + random.nextInt(3));
      for (int i = 0; i < 100; i++) {
        long from = random.nextLong(pattern.size());
        long to = Math.min(pattern.size(), from + random.nextLong(1500));
        long[] offsets = new long[(int) (to - from)];
        Arrays.setAll(offsets, p -> pattern.offsetOf(from + p));
        long low = pattern.offsetOf(from) - random.nextLong(1L << random.nextInt(1, 40));
        long high = low + random.nextLong(1L << random.nextInt(1, 42));
        long expected = Arrays.stream(offsets).filter(o -> o >= low && o < high).count();
        long found = 0;
        Runs runs = pattern.runs(from, to, low, high);
        while (runs.next()) {
          for (long k = 0; k < runs.count() * runs.length(); k++) {
            long offset = runs.offset() + k / runs.length() * runs.stride() + k % runs.length();
            if (offset < low
                || offset >= high
                || offsets[(int) (runs.position() - from + k)] != offset) {
              throw new AssertionError(pattern + " at " + offset + "; " + Seeds.replay(seed));
            }
          }
          found += runs.count() * runs.length();
        }
        assertThat(found).as(Seeds.replay(seed)).isEqualTo(expected);
      }
    }
  }

  @Test
  void wrongArgumentsAreRefusedWithTheirValues() {
    assertThatThrownBy(() -> Pattern.run(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> Pattern.loop(-2, 8, Pattern.run(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-2");
    assertThatThrownBy(() -> Pattern.loop(Long.MAX_VALUE, 2, Pattern.run(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2^63-1");
    assertThatThrownBy(() -> Pattern.loop(Long.MAX_VALUE, 2, Pattern.run(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2^63-1");
    assertThatThrownBy(() -> Pattern.loop(3, Long.MIN_VALUE, Pattern.run(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Pattern.run(9).shifted(Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Pattern.indexed(new long[] {1}, new long[] {1, 2}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 lengths");
    assertThatThrownBy(() -> Pattern.indexed(new long[] {1}, new long[] {-7}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-7");
    assertThatThrownBy(() -> Pattern.indexed(new long[] {0, Long.MAX_VALUE}, new long[] {1, 1}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Pattern.indexed(new long[] {Long.MIN_VALUE, 5}, new long[] {1, 1}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void positionsOutsideAreRefusedWithTheirBound() {
    Pattern pattern = Pattern.loop(3, 8, Pattern.run(4));
    assertThatThrownBy(() -> pattern.offsetOf(12))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("12");
    assertThatThrownBy(() -> pattern.offsetOf(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> pattern.runs(0, 13)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> pattern.runs(5, 4)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> pattern.runs(0, 4, 8, 7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("7");
    Pattern back = Pattern.loop(3, -8, Pattern.run(4));
    assertThatThrownBy(() -> back.positionOf(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> back.selects(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> back.intersect(pattern)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void nestingBeyondTheLimitIsRefused() {
    Pattern pattern = Pattern.run(1);
    long stride = 1;
    for (int i = 0; i < 62; i++) {
      stride += 1;
      pattern = Pattern.loop(1, stride, pattern);
    }
    assertThat(pattern).isEqualTo(Pattern.run(1));
    assertThatThrownBy(
            () -> {
              Pattern deep = Pattern.run(1);
              for (int i = 0; i <= Pattern.MAX_DEPTH; i++) {
                deep =
                    Pattern.sequence(
                        List.of(new Placed(0, deep), new Placed(i + 5, Pattern.run(1))));
              }
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("64");
  }

  @Test
  void offsetsAtTheEndsOfLongWork() {
    Pattern high = Pattern.run(4).shifted(Long.MAX_VALUE - 4);
    assertThat(high.offsetOf(3)).isEqualTo(Long.MAX_VALUE - 1);
    assertThat(high.positionOf(Long.MAX_VALUE)).isEqualTo(4);
    Pattern low = Pattern.loop(2, 16, Pattern.run(4)).shifted(Long.MIN_VALUE);
    Runs runs = low.runs(2, 6, Long.MIN_VALUE + 3, Long.MAX_VALUE);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(Long.MIN_VALUE + 3);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(Long.MIN_VALUE + 16);
    assertThat(runs.next()).isFalse();
  }
}
