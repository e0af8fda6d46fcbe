package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DistributionTest {

  private record Dealt(Spread spread, int ranks) {}

  /** All ways to deal a dimension of n out to up to three ranks. */
  private static List<Dealt> dealt(long n) {
    List<Dealt> all = new ArrayList<>();
    all.add(new Dealt(Spread.none(), 1));
    for (int p = 1; p <= 3; p++) {
      all.add(new Dealt(Spread.block(), p));
      all.add(new Dealt(Spread.cyclic(), p));
      all.add(new Dealt(Spread.blockCyclic(2), p));
      all.add(new Dealt(Spread.blockCyclic(3), p));
      for (long size = Math.max(1, Math.ceilDiv(n, p)); size <= n + 1; size++) {
        all.add(new Dealt(Spread.block(size), p));
      }
    }
    return all;
  }

  private static Distribution distribution(Shape shape, List<Dealt> dealt) {
    return new Distribution(
        shape,
        dealt.stream().map(Dealt::spread).toList(),
        new Grid(dealt.stream().map(Dealt::ranks).toList()));
  }

  /** Who has an index of one dimension, by dealing the indices out one by one. */
  private static int naiveOwner(Spread spread, long n, int p, long index) {
    return switch (spread) {
      case Spread.None none -> 0;
      case Spread.Block block ->
          (int) (index / (block.size() == 0 ? Math.ceilDiv(n, p) : block.size()));
      case Spread.Cyclic cyclic -> (int) (index % p);
      case Spread.BlockCyclic block -> (int) (index / block.size() % p);
    };
  }

  private static void check(Distribution distribution, int elementBytes) {
    Shape shape = distribution.shape();
    int ranks = distribution.grid().ranks();
    List<List<Long>> parts = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      parts.add(new ArrayList<>());
    }
    for (long linear = 0; linear < shape.elements(); linear++) {
      long[] index = shape.index(linear);
      int[] coordinates = new int[index.length];
      for (int i = 0; i < index.length; i++) {
        coordinates[i] =
            naiveOwner(
                distribution.spreads().get(i),
                shape.dimension(i),
                distribution.grid().dimension(i),
                index[i]);
      }
      int owner = distribution.grid().rank(coordinates);
      Shape local = distribution.localShape(owner);
      // Parts keep the array's storage order, so the local number is the count so far.
      long place = parts.get(owner).size() / elementBytes;
      if (distribution.owner(index) != owner
          || local.linear(distribution.local(index)) != place
          || !Arrays.equals(distribution.global(owner, local.index(place)), index)) {
        throw new AssertionError(distribution + ": element " + linear + " of rank " + owner);
      }
      for (int b = 0; b < elementBytes; b++) {
        parts.get(owner).add(linear * elementBytes + b);
      }
    }
    for (int rank = 0; rank < ranks; rank++) {
      Pattern part = distribution.part(rank, elementBytes);
      long[] expected = parts.get(rank).stream().mapToLong(Long::longValue).toArray();
      if (part.size() != expected.length
          || !part.isAscending()
          || distribution.localShape(rank).elements() * elementBytes != expected.length) {
        throw new AssertionError(distribution + ": part of rank " + rank + " is " + part);
      }
      Flat.walk(distribution, expected, part.runs(0, part.size()), 0, expected.length, 0, 1 << 20);
      for (int p = 0; p < expected.length; p++) {
        if (part.offsetOf(p) != expected[p] || part.positionOf(expected[p]) != p) {
          throw new AssertionError(distribution + ": position " + p + " of rank " + rank);
        }
      }
    }
  }

  @Test
  void allDistributionsOfSmallVectorsTileThemExactlyOnce() {
    for (long n = 0; n <= 13; n++) {
      for (Dealt dealt : dealt(n)) {
        check(distribution(Shape.rowMajor(n), List.of(dealt)), 1);
        check(distribution(Shape.columnMajor(n), List.of(dealt)), 3);
      }
    }
  }

  @Test
  void allDistributionsOfSmallMatricesTileThemExactlyOnce() {
    for (Order order : Order.values()) {
      for (long[] dims : new long[][] {{5, 7}, {1, 4}, {4, 4}, {0, 3}}) {
        for (Dealt first : dealt(dims[0])) {
          for (Dealt second : dealt(dims[1])) {
            check(distribution(Shape.of(order, dims), List.of(first, second)), 2);
          }
        }
      }
    }
  }

  @Test
  void distributionsOfSmallCubesTileThemExactlyOnce() {
    List<Dealt> some = dealt(5).stream().filter(dealt -> dealt.ranks() < 3).toList();
    for (Order order : Order.values()) {
      for (Dealt first : some) {
        for (Dealt second : some) {
          for (Dealt third : some.subList(0, 5)) {
            check(distribution(Shape.of(order, 5, 4, 3), List.of(first, second, third)), 1);
          }
        }
      }
    }
  }

  /** Case 13: 5x5 doubles in Fortran order, cyclic(3) x cyclic(3) on a 2x2 grid. */
  @Test
  void theBlockCyclicMatrixOfCase13IsReadAsKnown() {
    Distribution distribution =
        Distribution.of(
            Shape.columnMajor(5, 5), Grid.of(2, 2), Spread.blockCyclic(3), Spread.blockCyclic(3));
    assertThat(elements(distribution, 0)).containsExactly(0, 1, 2, 5, 6, 7, 10, 11, 12);
    assertThat(elements(distribution, 1)).containsExactly(15, 16, 17, 20, 21, 22);
    assertThat(elements(distribution, 2)).containsExactly(3, 4, 8, 9, 13, 14);
    assertThat(elements(distribution, 3)).containsExactly(18, 19, 23, 24);
  }

  private static long[] elements(Distribution distribution, int rank) {
    Pattern part = distribution.part(rank, 8);
    long[] elements = new long[(int) (part.size() / 8)];
    Arrays.setAll(elements, i -> part.offsetOf(8L * i) / 8);
    return elements;
  }

  /** Case 10: 3-D blocks over dims_create. */
  @Test
  void blocksInThreeDimensionsCoverTheCube() {
    Shape cube = Shape.rowMajor(32, 32, 32);
    Distribution distribution =
        Distribution.of(cube, Grid.balanced(4, 3), Spread.block(), Spread.block(), Spread.block());
    boolean[] seen = new boolean[32 * 32 * 32];
    for (int rank = 0; rank < 4; rank++) {
      assertThat(distribution.localShape(rank)).isEqualTo(Shape.rowMajor(16, 16, 32));
      for (long element : elements(distribution, rank)) {
        assertThat(seen[(int) element]).isFalse();
        seen[(int) element] = true;
      }
    }
    assertThat(seen).doesNotContain(false);
  }

  @Test
  void raggedPartsOfHugeArraysStaySmall() {
    Shape shape = Shape.columnMajor(1_000_003, 1_000_003, 1_000_003);
    Spread spread = Spread.blockCyclic(64);
    Distribution distribution = Distribution.of(shape, Grid.of(3, 5, 7), spread, spread, spread);
    long total = 0;
    for (int rank = 0; rank < distribution.grid().ranks(); rank++) {
      Pattern part = distribution.part(rank, 8);
      total += part.size();
      long p = part.size() / 2 + rank;
      assertThat(part.positionOf(part.offsetOf(p))).isEqualTo(p);
      assertThat(distribution.owner(shape.index(part.offsetOf(p) / 8))).isEqualTo(rank);
    }
    assertThat(total).isEqualTo(shape.bytes(8));
  }

  @Test
  void partsOfEmptyArraysAreEmptyHoweverLargeTheOtherDimensions() {
    for (Order order : Order.values()) {
      Shape shape = Shape.of(order, 0, 1L << 40, 1L << 20);
      Spread spread = Spread.blockCyclic(3);
      Distribution distribution = Distribution.of(shape, Grid.of(1, 2, 2), spread, spread, spread);
      for (int rank = 0; rank < 4; rank++) {
        assertThat(distribution.part(rank, 16)).isSameAs(Pattern.EMPTY);
        assertThat(distribution.localShape(rank).elements()).isZero();
      }
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    Shape shape = Shape.rowMajor(10, 10);
    assertThatThrownBy(() -> Distribution.of(shape, Grid.of(2), Spread.block(), Spread.block()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Distribution.of(shape, Grid.of(2, 2), Spread.block()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Distribution.of(shape, Grid.of(2, 2), Spread.none(), Spread.block()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dimension 0");
    assertThatThrownBy(() -> Distribution.of(shape, Grid.of(2, 2), Spread.block(4), Spread.block()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("do not cover");
    assertThatThrownBy(() -> Spread.blockCyclic(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Spread.block(0)).isInstanceOf(IllegalArgumentException.class);
    Distribution fine = Distribution.of(shape, Grid.of(2, 2), Spread.block(), Spread.block());
    assertThatThrownBy(() -> fine.part(4, 8))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("4");
    assertThatThrownBy(() -> fine.part(0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fine.owner(10, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> fine.global(0, 5, 0)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void elementsWithHolesLieAnExtentApart() {
    Pattern element = Pattern.indexed(new long[] {1, 4}, new long[] {2, 1});
    for (Order order : Order.values()) {
      Shape shape = Shape.of(order, 5, 4);
      for (Dealt rows : dealt(5)) {
        for (Dealt columns : dealt(4)) {
          Distribution dealt = distribution(shape, List.of(rows, columns));
          for (int rank = 0; rank < dealt.grid().ranks(); rank++) {
            Pattern single = dealt.part(rank, 1);
            Pattern part = dealt.part(rank, element, 7);
            assertThat(part.size()).isEqualTo(3 * single.size());
            for (long i = 0; i < single.size(); i++) {
              long start = 7 * single.offsetOf(i);
              assertThat(part.offsetOf(3 * i)).isEqualTo(start + 1);
              assertThat(part.offsetOf(3 * i + 1)).isEqualTo(start + 2);
              assertThat(part.offsetOf(3 * i + 2)).isEqualTo(start + 4);
            }
          }
        }
      }
    }
  }

  @Test
  void commonOnesAreTheirDefinition() {
    for (int ranks = 1; ranks <= 6; ranks++) {
      Shape shape = Shape.rowMajor(7, 5);
      Spread none = Spread.none();
      assertThat(Distribution.rows(shape, ranks))
          .isEqualTo(Distribution.of(shape, Grid.of(ranks, 1), Spread.block(), none));
      assertThat(Distribution.columns(shape, ranks))
          .isEqualTo(Distribution.of(shape, Grid.of(1, ranks), none, Spread.block()));
      assertThat(Distribution.cyclic(shape, ranks))
          .isEqualTo(Distribution.of(shape, Grid.of(ranks, 1), Spread.cyclic(), none));
      assertThat(Distribution.blocks(shape, ranks))
          .isEqualTo(
              Distribution.of(shape, Grid.balanced(ranks, 2), Spread.block(), Spread.block()));
    }
  }

  @Test
  void viewsOfAllRanksShowEveryByteOnce() {
    Shape shape = Shape.columnMajor(7, 5, 3);
    Distribution blocks = Distribution.blocks(shape, 6);
    int[] shown = new int[(int) shape.bytes(2)];
    for (int rank = 0; rank < 6; rank++) {
      View view = blocks.view(rank, 2);
      for (long at = 0; at < blocks.part(rank, 2).size(); at++) {
        shown[(int) view.offsetOf(at)]++;
      }
    }
    assertThat(shown).containsOnly(1);
  }
}
