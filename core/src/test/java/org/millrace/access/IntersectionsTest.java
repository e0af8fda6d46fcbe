package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IntersectionsTest {

  private static List<Flat> ascending() {
    List<Flat> all = new ArrayList<>(Worlds.kinds());
    all.addAll(Worlds.loops(1, new long[] {2, 5}, new long[] {2, 3, 4, 5}, 3));
    all.addAll(Worlds.loops(2, new long[] {2, 3}, new long[] {2, 3, 5, 7}, 2));
    for (Flat child : Worlds.kinds()) {
      all.add(Flat.sequence(-3, child, 8, Flat.loop(3, 2, Flat.run(1))));
    }
    return all.stream().filter(Flat::isAscending).toList();
  }

  @Test
  void allPairsOfSmallAscendingPatternsAgreeWithTheOracle() {
    for (Flat a : ascending()) {
      for (Flat b : ascending()) {
        for (long shift : new long[] {-2, 0, 1, 5}) {
          long[] moved = Arrays.stream(b.offsets()).map(offset -> offset + shift).toArray();
          check(
              a.pattern().intersect(b.pattern().shifted(shift)),
              a.offsets(),
              moved,
              a + " and " + b);
        }
      }
    }
  }

  private static void check(Intersections common, long[] a, long[] b, String what) {
    List<Long> found = new ArrayList<>();
    while (common.next()) {
      for (long k = 0; k < common.length(); k++) {
        long offset = common.offset() + k;
        found.add(offset);
        if (a[(int) (common.position() + k)] != offset
            || b[(int) (common.otherPosition() + k)] != offset) {
          throw new AssertionError("wrong position of " + offset + " in " + what);
        }
      }
    }
    List<Long> expected =
        Arrays.stream(a).filter(x -> Arrays.stream(b).anyMatch(y -> x == y)).boxed().toList();
    if (!expected.equals(found)) {
      throw new AssertionError(what + ": " + found + ", not " + expected);
    }
  }

  @Test
  void rangesOfViewsMeetInTheirCommonBytes() {
    View a = new View(0, Pattern.run(3), 5);
    View b = new View(1, Pattern.run(2), 7);
    for (int from = 0; from < 20; from++) {
      for (int to = from; to < 30; to++) {
        long[] left = new long[30];
        long[] right = new long[20];
        Arrays.setAll(left, p -> a.offsetOf(p));
        Arrays.setAll(right, p -> b.offsetOf(p));
        for (int p = 0; p < 30; p++) {
          left[p] = p >= from && p < to ? left[p] : -1;
        }
        Intersections common = a.intersect(from, to, b, 0, 20);
        List<Long> found = new ArrayList<>();
        while (common.next()) {
          for (long k = 0; k < common.length(); k++) {
            found.add(common.offset() + k);
            assertThat(left[(int) (common.position() + k)]).isEqualTo(common.offset() + k);
            assertThat(right[(int) (common.otherPosition() + k)]).isEqualTo(common.offset() + k);
          }
        }
        assertThat(found)
            .isEqualTo(
                Arrays.stream(left)
                    .filter(x -> Arrays.stream(right).anyMatch(y -> x == y))
                    .boxed()
                    .toList());
      }
    }
  }

  @Test
  void interlockingCombsWithoutACommonByteAreToldApartWithoutWalking() {
    long n = 1_000_000_000_000L;
    Pattern even = Pattern.loop(n, 2, Pattern.run(1));
    assertThat(even.intersect(even.shifted(1)).next()).isFalse();
    Pattern sparse = Pattern.loop(n, 1000, Pattern.run(1)).shifted(1);
    Pattern other = Pattern.loop(n, 1001, Pattern.run(1));
    Intersections common = sparse.intersect(other);
    assertThat(common.next()).isTrue();
    assertThat((common.offset() - 1) % 1000).isZero();
    assertThat(common.offset() % 1001).isZero();
  }

  @Test
  void viewsThatDoNotAscendAreRefused() {
    View back = new View(100, Pattern.loop(2, -8, Pattern.run(4)), 16);
    assertThatThrownBy(() -> back.intersect(0, 8, View.WHOLE, 0, 8))
        .isInstanceOf(IllegalStateException.class);
  }
}
