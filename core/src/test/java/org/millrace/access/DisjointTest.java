package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** Bytes that are selected twice: against a naive oracle, and where the answer is known. */
final class DisjointTest {

  private static final long V = 1_000_001;

  /** Byte by byte. */
  private static boolean naive(Pattern pattern, long count, long stride) {
    BitSet seen = new BitSet();
    Runs runs = pattern.runs(0, pattern.size());
    while (runs.next()) {
      for (long turn = 0; turn < count; turn++) {
        for (long i = 0; i < runs.count(); i++) {
          long from = runs.offset() + i * runs.stride() + turn * stride - pattern.first();
          for (long k = from; k < from + runs.length(); k++) {
            if (seen.get((int) k)) {
              return false;
            }
            seen.set((int) k);
          }
        }
      }
    }
    return true;
  }

  /** By arithmetic, both with and without the cheap answers before it. */
  private static void same(Pattern pattern, long count, long stride) {
    Disjointness expected =
        naive(pattern, count, stride) ? Disjointness.DISJOINT : Disjointness.OVERLAPPING;
    PatternNode node = (PatternNode) pattern;
    if (node.size == 0) {
      return;
    }
    Disjointness pieces = Pieces.test(node, count, stride);
    Disjointness all = Disjoint.test(node, count, stride);
    if (pieces != expected || all != expected) {
      throw new AssertionError(
          "%d by %d of %s: %s, but pieces say %s, all say %s"
              .formatted(count, stride, pattern, expected, pieces, all));
    }
  }

  @Test
  void everySmallNestIsDecidedAsByteByByte() {
    for (int run = 1; run <= 2; run++) {
      for (long s1 = -9; s1 <= 9; s1++) {
        for (long c1 = 2; c1 <= 3; c1++) {
          repeated(Pattern.loop(c1, s1, Pattern.run(run)));
        }
      }
    }
  }

  private static void repeated(Pattern inner) {
    for (long s2 = 0; s2 <= 13; s2++) {
      for (long s3 = 0; s3 <= 17; s3++) {
        for (long c2 = 2; c2 <= 3; c2++) {
          same(Pattern.loop(c2, s2, inner), 4, s3);
        }
      }
    }
  }

  @Test
  void everySmallNestOfFourIsDecidedAsByteByByte() {
    for (long s1 = 1; s1 <= 8; s1++) {
      for (long s2 = s1; s2 <= 16; s2++) {
        for (long s3 = s2; s3 <= 24; s3++) {
          for (long s4 = s3; s4 <= 32; s4 += 1) {
            Pattern two = Pattern.loop(2, s2, Pattern.loop(3, s1, Pattern.run(1)));
            same(Pattern.loop(3, s3, two), 2, s4);
          }
        }
      }
    }
  }

  @Test
  void everySmallListAndSequenceThatIsRepeatedIsDecidedAsByteByByte() {
    for (List<Flat> family : List.of(Worlds.lists(3, 7), Worlds.sequences(0, 12))) {
      for (Flat one : family) {
        for (long count = 1; count <= 4; count++) {
          for (long stride = 1; stride <= 9; stride += 2) {
            same(one.pattern(), count, stride);
          }
        }
      }
    }
  }

  @Test
  void randomPatternsOfSomeThousandBytesAreDecidedAsByteByByte() {
    for (long seed : Seeds.of(4000)) {
      Random random = new Random(seed);
      try {
        Pattern pattern = random(random, 1 + random.nextInt(5));
        if (pattern.size() <= 1 << 14) {
          same(pattern, 1 + random.nextInt(4), 1 + random.nextInt(300));
        }
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + "; " + Seeds.replay(seed), e);
      }
    }
  }

  /** Lists under several loops: enough runs that they are swept, few enough to be tried. */
  @Test
  void randomListsUnderLoopsAreDecidedAsByteByByte() {
    int disjoint = 0;
    for (long seed : Seeds.of(1000)) {
      Random random = new Random(seed);
      int n = 20 + random.nextInt(60);
      long[] offsets = random.longs(n, 0, 20_000).map(x -> x * 3).toArray();
      long[] lengths = random.longs(n, 1, 4).toArray();
      Pattern list = Pattern.indexed(offsets, lengths);
      Pattern pattern =
          Pattern.loop(
              2 + random.nextInt(3),
              3L * (1 + random.nextInt(20_000)) + random.nextInt(2),
              Pattern.loop(2, 3L * (1 + random.nextInt(10_000)), list));
      try {
        same(pattern, 1 + random.nextInt(3), 3 + random.nextInt(30_000));
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + "; " + Seeds.replay(seed), e);
      }
      disjoint += pattern.isDisjoint() ? 1 : 0;
    }
    if (Seeds.of(2).length > 1) {
      assertThat(disjoint).as("both answers come").isBetween(100, 900 * Seeds.CAMPAIGN);
    }
  }

  /** Sparse enough to be disjoint now and then. */
  private static Pattern random(Random random, int depth) {
    if (depth == 0) {
      return Pattern.run(1 + random.nextInt(3));
    }
    if (random.nextInt(4) == 0) {
      List<Placed> children = new ArrayList<>();
      for (int i = 2 + random.nextInt(3); i > 0; i--) {
        children.add(new Placed(random.nextInt(500), random(random, depth - 1)));
      }
      return Pattern.sequence(children);
    }
    if (random.nextInt(6) == 0) {
      int n = 2 + random.nextInt(6);
      return Pattern.indexed(random.longs(n, 0, 400).toArray(), random.longs(n, 1, 4).toArray());
    }
    long stride = 1L + random.nextInt(1 << 1 + random.nextInt(9));
    return Pattern.loop(
        2 + random.nextInt(4),
        random.nextInt(4) == 0 ? -stride : stride,
        random(random, depth - 1));
  }

  /** Whether some choice of numbers within the ranges makes the sum fall into the window. */
  private static boolean naiveReach(long[][] terms, int i, long sum, long from, long to) {
    if (i == terms.length) {
      return from <= sum && sum <= to;
    }
    for (long n = terms[i][1]; n <= terms[i][2]; n++) {
      if (naiveReach(terms, i + 1, sum + n * terms[i][0], from, to)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void sumsOfStridesAreFoundAsByTryingAll() {
    int reached = 0;
    for (long seed : Seeds.of(20_000)) {
      Random random = new Random(seed);
      long[][] terms = new long[1 + random.nextInt(5)][];
      Budget budget = new Budget(1 << 20);
      StrideSums sums = new StrideSums(budget);
      for (int i = 0; i < terms.length; i++) {
        long stride = 1L + random.nextInt(1 << 2 + random.nextInt(10));
        terms[i] = new long[] {stride, -random.nextInt(5), random.nextInt(5)};
        sums.add(stride, terms[i][1], terms[i][2]);
      }
      long from = random.nextInt(6000) - 3000L;
      long to = from + random.nextInt(1 << random.nextInt(5));
      boolean expected = naiveReach(terms, 0, 0, from, to);
      reached += expected ? 1 : 0;
      assertThat(sums.reach(from, to))
          .as("%s in [%s, %s]; %s", Arrays.deepToString(terms), from, to, Seeds.replay(seed))
          .isEqualTo(expected);
    }
    if (Seeds.of(2).length > 1) {
      assertThat(reached).as("both answers come").isBetween(100, 19_000 * Seeds.CAMPAIGN);
    }
  }

  @Test
  void theLatticeAloneFindsWhatTryingAllFinds() {
    for (long seed : Seeds.of(3000)) {
      Random random = new Random(seed);
      int n = 2 + random.nextInt(4);
      long[] strides = new long[n];
      long[] lows = new long[n];
      long[] highs = new long[n];
      long[][] terms = new long[n][];
      for (int i = 0; i < n; i++) {
        strides[i] = 1L + random.nextInt(1 << 4 + random.nextInt(8));
        lows[i] = -random.nextInt(4);
        highs[i] = lows[i] == 0 ? 1L + random.nextInt(4) : random.nextInt(4);
        terms[i] = new long[] {strides[i], lows[i], highs[i]};
      }
      long from = random.nextInt(4000) - 2000L;
      long to = from + random.nextInt(8);
      boolean found =
          new LatticeSearch(new Budget(1 << 20), n, strides, lows, highs, from, to).findsAny();
      assertThat(found)
          .as("%s in [%s, %s]; %s", Arrays.deepToString(terms), from, to, Seeds.replay(seed))
          .isEqualTo(naiveReach(terms, 0, 0, from, to));
    }
  }

  /**
   * By the Chinese remainder theorem: with strides P/p for primes p of product P, and p turns each,
   * all sums differ; with one turn more of any two of them, p * P/p = q * P/q, and two are the
   * same. Of eight primes the pattern fills a good part of its span and nothing is nested.
   */
  @Test
  void hugeNestsThatOnlyNumberTheoryDecides() {
    long[][] families = {
      {1_048_583, 1_048_589, 1_048_601},
      {32_771, 32_779, 32_783, 32_789},
      {4099, 4111, 4127, 4129, 4133},
      {1009, 1013, 1019, 1021, 1031, 1033},
      {101, 103, 107, 109, 113, 127, 131, 137},
      {11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}
    };
    for (long[] primes : families) {
      assertThat(crt(primes, 0, 1).disjointness())
          .as(Arrays.toString(primes))
          .isEqualTo(Disjointness.DISJOINT);
      assertThat(crt(primes, 2, 1).disjointness())
          .as(Arrays.toString(primes))
          .isEqualTo(Disjointness.OVERLAPPING);
      assertThat(crt(primes, 0, 2).disjointness())
          .as("strides are neighbours somewhere, so runs of two bytes meet")
          .isEqualTo(Disjointness.OVERLAPPING);
    }
  }

  private static Pattern crt(long[] primes, int more, int run) {
    long product = 1;
    for (long p : primes) {
      product = Math.multiplyExact(product, p);
    }
    Pattern pattern = Pattern.run(run);
    for (int i = 0; i < primes.length; i++) {
      pattern = Pattern.loop(primes[i] + (i < more ? 1 : 0), product / primes[i], pattern);
    }
    return pattern;
  }

  @Test
  void intsFarApartWithASmallExtentAreAFiletype() {
    Pattern ints = Pattern.indexed(new long[] {0, 4 * V, 8 * V}, new long[] {4, 4, 4});
    // 4V = 4 mod 16 and 8V = 8 mod 16: each int has a place of its own in every extent
    assertThat(new View(0, ints, 16).disjointness()).isEqualTo(Disjointness.DISJOINT);
    assertThat(new View(0, ints, 12).disjointness()).isEqualTo(Disjointness.DISJOINT);
    assertThat(new View(0, ints, 8).disjointness()).isEqualTo(Disjointness.OVERLAPPING);
    Pattern four = Pattern.indexed(new long[] {0, 4 * V, 8 * V, 16 * V}, new long[] {4, 4, 4, 4});
    assertThat(new View(0, four, 16).disjointness()).isEqualTo(Disjointness.OVERLAPPING);
    assertThat(new View(0, four, 20).disjointness()).isEqualTo(Disjointness.DISJOINT);
  }

  @Test
  void longListsUnderOneLoopAreDecidedBySorting() {
    int n = 200_000;
    long extent = 8L * n;
    long[] offsets = new long[n];
    long[] lengths = new long[n];
    Random random = new Random(7);
    for (int i = 0; i < n; i++) { // each residue once, some turns away
      offsets[i] = 8L * i + extent * random.nextInt(1000);
      lengths[i] = 8;
    }
    assertThat(new View(0, Pattern.indexed(offsets, lengths), extent).disjointness())
        .isEqualTo(Disjointness.DISJOINT);
    offsets[n / 2] += 8;
    assertThat(new View(0, Pattern.indexed(offsets, lengths), extent).disjointness())
        .isEqualTo(Disjointness.OVERLAPPING);
    // turned too few times to meet what is on the same place of the circle
    Pattern pair = Pattern.indexed(new long[] {0, 1000 * V}, new long[] {4, 4});
    assertThat(Pattern.loop(1000, V, pair).disjointness()).isEqualTo(Disjointness.DISJOINT);
    assertThat(Pattern.loop(1001, V, pair).disjointness()).isEqualTo(Disjointness.OVERLAPPING);
  }

  @Test
  void viewsAtTheEndOfAllOffsetsAreDecidedToo() {
    long far = Long.MAX_VALUE - 100;
    Pattern ends = Pattern.indexed(new long[] {0, far}, new long[] {4, 4});
    // the second tile's second run would lie beyond the largest offset
    assertThat(new View(0, ends, 40).disjointness())
        .isEqualTo(
            (far % 40 < 4 || far % 40 > 36) ? Disjointness.OVERLAPPING : Disjointness.DISJOINT);
    assertThat(new View(90, Pattern.indexed(new long[] {4, 0}, new long[] {4, 4}), far))
        .extracting(View::disjointness)
        .isEqualTo(Disjointness.DISJOINT);
    assertThat(
            Pattern.loop(
                    Long.MAX_VALUE / 8, 8, Pattern.indexed(new long[] {4, 0}, new long[] {2, 2}))
                .disjointness())
        .isEqualTo(Disjointness.DISJOINT);
  }

  private static Pattern scattered(int n, long range) {
    Random random = new Random(5);
    long[] offsets = random.longs(n, 0, range).map(x -> x * 4).toArray();
    long[] lengths = new long[n];
    Arrays.fill(lengths, 4);
    return Pattern.indexed(offsets, lengths);
  }

  @Test
  void longListsUnderSeveralLoopsAreSweptTogetherWithThemselves() {
    Pattern list = scattered(2000, 1L << 42);
    Pattern twice =
        Pattern.loop(3, 4 * ((1L << 40) + 15), Pattern.loop(5000, 4 * ((1L << 29) + 27), list));
    assertThat(twice.disjointness()).isEqualTo(Disjointness.DISJOINT);
    long[] offsets = {0, 4 * ((1L << 40) + 15) - 4000 * 4 * ((1L << 29) + 27) + 2, 8};
    Pattern more =
        Pattern.sequence(
            List.of(
                new Placed(0, list),
                new Placed(1L << 50, Pattern.indexed(offsets, new long[] {4, 4, 4}))));
    assertThat(more.disjointness()).isEqualTo(Disjointness.DISJOINT);
    assertThat(
            Pattern.loop(
                    3,
                    4 * ((1L << 40) + 15),
                    Pattern.loop(
                        5000,
                        4 * ((1L << 29) + 27),
                        Pattern.indexed(offsets, new long[] {4, 4, 4})))
                .disjointness())
        .isEqualTo(Disjointness.OVERLAPPING);
  }

  /** What is given up: long irregular lists under loops that all turn often. */
  @Test
  void whatWouldTakeTooLongIsSaidToBeUndecided() {
    Pattern list = scattered(20_000, 1L << 50);
    Pattern thrice =
        Pattern.loop(
            200,
            4 * ((1L << 40) + 15),
            Pattern.loop(
                300, 4 * ((1L << 35) + 27), Pattern.loop(500, 4 * ((1L << 41) + 33), list)));
    assertThat(thrice.disjointness()).isEqualTo(Disjointness.UNDECIDED);
    assertThat(thrice.isDisjoint()).isFalse();
  }

  @Test
  void theAnswerIsRememberedForTheStrideItWasGivenFor() {
    Pattern ints = Pattern.indexed(new long[] {8, 0}, new long[] {4, 4});
    for (int i = 0; i < 2; i++) {
      assertThat(new View(0, ints, 16).isDisjoint()).isTrue();
      assertThat(new View(0, ints, 8).isDisjoint()).isFalse();
      assertThat(ints.isDisjoint()).isTrue();
    }
  }
}
