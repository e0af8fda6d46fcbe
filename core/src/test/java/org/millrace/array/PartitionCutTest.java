package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Order;
import org.millrace.access.Shape;

/** Partitions against a search of all tiles and all grids, over small worlds. */
final class PartitionCutTest {

  private static List<Shape> smallShapes() {
    List<Shape> shapes = new ArrayList<>();
    for (long a = 1; a <= 7; a++) {
      shapes.add(Shape.rowMajor(a));
      for (long b = 1; b <= 6; b++) {
        for (Order order : Order.values()) {
          shapes.add(Shape.of(order, a, b));
          for (long c = 1; c <= 4; c++) {
            shapes.add(Shape.of(order, a, b, c));
          }
        }
      }
    }
    return shapes;
  }

  /** Every way to write a number as a product of so many factors. */
  private static List<List<Integer>> grids(int ranks, int dimensions) {
    List<List<Integer>> all = new ArrayList<>();
    if (dimensions == 0) {
      if (ranks == 1) {
        all.add(List.of());
      }
      return all;
    }
    for (int first = 1; first <= ranks; first++) {
      if (ranks % first == 0) {
        for (List<Integer> rest : grids(ranks / first, dimensions - 1)) {
          List<Integer> one = new ArrayList<>(List.of(first));
          one.addAll(rest);
          all.add(one);
        }
      }
    }
    return all;
  }

  /** Whether a grid gives every rank at least one and at most so many elements. */
  private static boolean canBusyAll(Shape tile, int ranks, long room) {
    for (List<Integer> grid : grids(ranks, tile.dimensions())) {
      long part = 1;
      boolean busy = true;
      for (int d = 0; d < grid.size(); d++) {
        busy &= grid.get(d) <= tile.dimension(d);
        part *= Math.ceilDiv(tile.dimension(d), grid.get(d));
      }
      if (busy && part <= room) {
        return true;
      }
    }
    return false;
  }

  /** How few partitions there can be with all ranks busy in the full ones; -1 if it cannot be. */
  private static long fewest(Shape shape, int ranks, long room) {
    long max = 0;
    long fewest = -1;
    for (int n = 0; n < shape.dimensions(); n++) {
      for (long count = 1; count <= shape.dimension(shape.fastest(n)); count++) {
        long[] dims = new long[shape.dimensions()];
        for (int i = 0; i < dims.length; i++) {
          int d = shape.fastest(i);
          dims[d] = i < n ? shape.dimension(d) : i == n ? count : 1;
        }
        Shape tile = Shape.of(shape.order(), dims);
        if (tile.elements() > max && canBusyAll(tile, ranks, room)) {
          max = tile.elements();
          fewest = new Tiling(shape, tile).count();
        }
      }
    }
    return fewest;
  }

  @Test
  void partsKeepToTheRoomAndAllRanksAreBusyWhereAGridCanDoThat() {
    for (Shape shape : smallShapes()) {
      for (int ranks = 1; ranks <= 8; ranks++) {
        for (long room = 1; room <= 9; room++) {
          Shape tile = PartitionCut.tile(shape, ranks, room);
          Tiling tiling = new Tiling(shape, tile);
          String what = "%s, %d ranks, room %d, tile %s".formatted(shape, ranks, room, tile);
          for (long p = 0; p < tiling.count(); p++) {
            check(tiling.shape(p), ranks, room, what);
          }
          long fewest = fewest(shape, ranks, room);
          if (fewest > 0) {
            assertThat(tiling.count()).as(what).isEqualTo(fewest);
            assertThat(canBusyAll(tiling.shape(0), ranks, room)).as(what).isTrue();
          }
        }
      }
    }
  }

  private static void check(Shape partition, int ranks, long room, String what) {
    Distribution parts = PartitionCut.parts(partition, ranks, room);
    long sum = 0;
    int idle = 0;
    for (int r = 0; r < ranks; r++) {
      long elements = parts.localShape(r).elements();
      assertThat(elements).as(what).isLessThanOrEqualTo(room);
      sum += elements;
      idle += elements == 0 ? 1 : 0;
    }
    assertThat(sum).as(what).isEqualTo(partition.elements());
    if (canBusyAll(partition, ranks, room)) {
      assertThat(idle).as(what).isZero();
    }
  }

  /** What was seen from outside: three processors had 5.12 MB each, thirteen had nothing. */
  @Test
  void longColumnsAreCutInBothDimensions() {
    Shape shape = Shape.columnMajor(640_000, 3000);
    long room = (1 << 20) / 8;
    Shape tile = PartitionCut.tile(shape, 16, room);
    Distribution parts = PartitionCut.parts(tile, 16, room);
    long min = Long.MAX_VALUE;
    for (int r = 0; r < 16; r++) {
      long bytes = parts.localShape(r).bytes(8);
      assertThat(bytes).isLessThanOrEqualTo(1 << 20);
      min = Math.min(min, bytes);
    }
    assertThat(tile.dimensions()).isEqualTo(2);
    assertThat(tile.bytes(8)).isGreaterThan(14 << 20);
    assertThat(min).isGreaterThan(900_000);
  }

  @Test
  void thousandsOfRanksAndManyDimensionsTakeNoTime() {
    Shape shape = Shape.rowMajor(64, 64, 64, 64, 64, 64, 64);
    Shape tile = PartitionCut.tile(shape, 4096, 1 << 10);
    assertThat(tile.elements()).isEqualTo(4096L << 10);
  }

  @Test
  void memoryForNoElementIsRefused() {
    assertThatThrownBy(() -> PartitionCut.tile(Shape.rowMajor(3), 2, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
