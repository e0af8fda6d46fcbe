package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Extent, Shape, Range and Grid. */
final class ArraysTest {

  @Test
  void extentsIntersectInTheirCommonBytes() {
    Extent extent = new Extent(10, 5);
    assertThat(extent.end()).isEqualTo(15);
    assertThat(extent.intersect(Extent.between(12, 99))).isEqualTo(new Extent(12, 3));
    assertThat(extent.intersect(Extent.between(0, 11))).isEqualTo(new Extent(10, 1));
    assertThat(extent.intersect(Extent.between(20, 30)).isEmpty()).isTrue();
    assertThat(extent.intersect(Extent.between(0, 3)).isEmpty()).isTrue();
    assertThatThrownBy(() -> new Extent(-1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> new Extent(1, -2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-2");
    assertThatThrownBy(() -> new Extent(Long.MAX_VALUE, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Extent.between(3, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void elementNumbersAndIndicesAreInverse() {
    for (Order order : Order.values()) {
      Shape shape = Shape.of(order, 3, 4, 5);
      assertThat(shape.elements()).isEqualTo(60);
      for (long linear = 0; linear < 60; linear++) {
        assertThat(shape.linear(shape.index(linear))).isEqualTo(linear);
      }
    }
    assertThat(Shape.rowMajor(3, 4, 5).linear(1, 2, 3)).isEqualTo(1 * 20 + 2 * 5 + 3);
    assertThat(Shape.columnMajor(3, 4, 5).linear(1, 2, 3)).isEqualTo(1 + 2 * 3 + 3 * 12);
    assertThat(Shape.rowMajor(3, 4, 5).strides()).containsExactly(20, 5, 1);
    assertThat(Shape.columnMajor(3, 4, 5).strides()).containsExactly(1, 3, 12);
  }

  @Test
  void shapesThatDoNotFitAreRefused() {
    assertThatThrownBy(() -> Shape.rowMajor(1L << 32, 1L << 31))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2^63-1");
    assertThatThrownBy(() -> Shape.rowMajor(1L << 61).bytes(8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8-byte");
    assertThatThrownBy(() -> Shape.rowMajor()).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Shape.rowMajor(3, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> Shape.rowMajor(3, 4).linear(3, 0))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("3");
    assertThatThrownBy(() -> Shape.rowMajor(3, 4).linear(3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Shape.rowMajor(3, 4).index(12))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("12");
    assertThat(Shape.rowMajor(0, 7).elements()).isZero();
  }

  @Test
  void allSmallRangesCountContainAndIntersectAsTheirIndices() {
    for (Range a : SectionTest.ranges(7)) {
      long count = 0;
      for (long i = 0; i < 9; i++) {
        count += a.contains(i) ? 1 : 0;
      }
      assertThat(a.count()).isEqualTo(count);
      for (Range b : SectionTest.ranges(7)) {
        Range common = a.intersect(b);
        for (long i = 0; i < 9; i++) {
          if (common.contains(i) != (a.contains(i) && b.contains(i))) {
            throw new AssertionError(a + " and " + b + " give " + common);
          }
        }
      }
    }
  }

  @Test
  void rangesSelectWhatFortranSelects() {
    assertThat(new Range(2, 11, 4).upper()).isEqualTo(10);
    assertThat(new Range(2, 11, 4).count()).isEqualTo(3);
    assertThat(new Range(5, 4, 3)).isEqualTo(Range.EMPTY);
    assertThat(Range.all(0)).isEqualTo(Range.EMPTY);
    assertThat(Range.all(10).count()).isEqualTo(10);
    assertThat(Range.of(0, Long.MAX_VALUE - 1).count()).isEqualTo(Long.MAX_VALUE);
    assertThat(
            new Range(0, Long.MAX_VALUE - 1, 1L << 61)
                .intersect(new Range(2, Long.MAX_VALUE - 1, 7)))
        .isEqualTo(Range.at(1L << 61));
    assertThatThrownBy(() -> new Range(0, 4, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
    assertThatThrownBy(() -> new Range(-3, 4, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-3");
  }

  @Test
  void balancedGridsAreThoseOfDimsCreate() {
    assertThat(Grid.balanced(4, 3)).isEqualTo(Grid.of(2, 2, 1));
    assertThat(Grid.balanced(6, 2)).isEqualTo(Grid.of(3, 2));
    assertThat(Grid.balanced(12, 3)).isEqualTo(Grid.of(3, 2, 2));
    assertThat(Grid.balanced(7, 3)).isEqualTo(Grid.of(7, 1, 1));
    assertThat(Grid.balanced(8, 3)).isEqualTo(Grid.of(2, 2, 2));
    assertThat(Grid.balanced(1, 2)).isEqualTo(Grid.of(1, 1));
    assertThat(Grid.balanced(60, 3)).isEqualTo(Grid.of(5, 4, 3));
    assertThat(Grid.balanced(1 << 20, 2)).isEqualTo(Grid.of(1024, 1024));
    assertThat(Grid.balanced(5, 1)).isEqualTo(Grid.of(5));
    for (int ranks = 1; ranks <= 200; ranks++) {
      for (int dimensions = 1; dimensions <= 4; dimensions++) {
        Grid grid = Grid.balanced(ranks, dimensions);
        assertThat(grid.ranks()).isEqualTo(ranks);
        assertThat(grid.dims()).isSortedAccordingTo((a, b) -> b - a);
      }
    }
  }

  @Test
  void ranksAreRowMajorOverTheGrid() {
    Grid grid = Grid.of(2, 3);
    assertThat(grid.coordinates(4)).containsExactly(1, 1);
    for (int rank = 0; rank < 6; rank++) {
      assertThat(grid.rank(grid.coordinates(rank))).isEqualTo(rank);
    }
    assertThatThrownBy(() -> grid.coordinates(6))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("6");
    assertThatThrownBy(() -> grid.rank(0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> grid.rank(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Grid.of(2, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Grid.of(1 << 16, 1 << 16))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Grid.balanced(0, 2)).isInstanceOf(IllegalArgumentException.class);
  }
}
