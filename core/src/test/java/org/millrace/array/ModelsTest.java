package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NoSuchNameException;

/** PASSION's Local Placement and Partitioned In-Core models, and how an array is divided. */
final class ModelsTest {

  @Test
  void partsOfATilingAreTheArrayInStorageOrder() {
    for (Order order : Order.values()) {
      for (long[] dims : List.of(new long[] {7}, new long[] {3, 5}, new long[] {2, 3, 4})) {
        Shape shape = Shape.of(order, dims);
        for (long bytes = 3; bytes < 80; bytes++) {
          Tiling tiling = Tiling.fitting(shape, 3, bytes);
          long next = 0;
          for (long part = 0; part < tiling.count(); part++) {
            Section section = tiling.section(part);
            Shape counts = tiling.shape(part);
            assertThat(counts.bytes(3)).isBetween(3L, bytes);
            for (long i = 0; i < counts.elements(); i++) {
              long[] at = NaiveArray.at(section, counts.index(i));
              assertThat(shape.linear(at)).isEqualTo(next++);
            }
          }
          assertThat(next).isEqualTo(shape.elements());
        }
      }
    }
    assertThat(Tiling.fitting(Shape.rowMajor(4, 0), 8, 8).count()).isZero();
    assertThatThrownBy(() -> Tiling.fitting(Shape.rowMajor(4), 8, 7))
        .hasMessageContaining("8 bytes do not fit into 7");
    assertThatThrownBy(() -> new Tiling(Shape.rowMajor(4, 4), Shape.rowMajor(2, 2)))
        .hasMessageContaining("one after the other");
  }

  private static Distribution rows(Shape shape, int ranks, Spread spread) {
    return Distribution.of(shape, Grid.of(ranks, 1), spread, Spread.none());
  }

  @Test
  void eachRankWorksOnItsOwnFileOnItsOwnNode() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(3)) {
      for (Spread spread : List.of(Spread.block(), Spread.cyclic(), Spread.blockCyclic(2))) {
        Shape shape = Shape.rowMajor(10, 6);
        cluster.run(4, rank -> placeLocally(rank, rows(shape, 4, spread)));
        cluster.run(4, rank -> backToGlobal(rank, rows(shape, 4, spread)));
      }
    }
  }

  private static void placeLocally(Rank rank, Distribution distribution) throws IOException {
    OpenOptions fresh = OpenOptions.create().withTruncate();
    try (GlobalArray global =
            GlobalArray.create(rank, "g.npy", distribution.shape(), ElementType.INT64, fresh);
        LocalArrays arrays =
            LocalArrays.create(rank, "l.npy", distribution, ElementType.INT64, fresh)) {
      assertThat(arrays.local().file().layout().nodes()).containsExactly(rank.number() % 3);
      assertThat(arrays.local().file().path()).isEqualTo("l.npy." + rank.number());
      long[] all = new long[60];
      Arrays.setAll(all, i -> i);
      boolean first = rank.number() == 0;
      global.writeSection(
          first ? Section.whole(global.shape()) : Section.of(Range.EMPTY, Range.EMPTY),
          Local.of(all, global.shape()));
      arrays.fromGlobal(global, 40);
      Shape mine = distribution.localShape(rank.number());
      long[] found = new long[(int) mine.elements()];
      arrays.local().readSection(Section.whole(mine), Local.of(found, mine));
      for (int i = 0; i < found.length; i++) {
        long[] index = distribution.global(rank.number(), mine.index(i));
        assertThat(found[i]).isEqualTo(distribution.shape().linear(index));
      }
      InCoreArray inCore = arrays.inCore(100, 1);
      assertThat(inCore.tiling().tile())
          .isEqualTo(Shape.rowMajor(mine.dimension(0) > 1 ? 2 : 1, 6));
      inCore.update((section, part) -> multiply(part.segment(), 10));
      long[] part = new long[6 * 2];
      Shape two = Shape.rowMajor(2, 6);
      inCore.read(0, Local.of(part, two));
      assertThat(part[1]).isEqualTo(10 * found[1]);
      part[1]++;
      inCore.write(0, Local.of(part, two));
    }
  }

  private static void multiply(MemorySegment longs, long factor) {
    for (long i = 0; i < longs.byteSize(); i += 8) {
      long old = longs.get(ValueLayout.JAVA_LONG, i);
      longs.set(ValueLayout.JAVA_LONG, i, old * factor);
    }
  }

  private static void backToGlobal(Rank rank, Distribution distribution) throws IOException {
    try (GlobalArray global = GlobalArray.open(rank, "g.npy", OpenOptions.readWrite());
        LocalArrays arrays = LocalArrays.open(rank, "l.npy", distribution, OpenOptions.read())) {
      arrays.toGlobal(global, 1 << 20);
      long[] all = new long[60];
      global.readSection(Section.whole(global.shape()), Local.of(all, global.shape()));
      for (int i = 0; i < 60; i++) {
        boolean changed = false; // the second element of each rank's local array
        for (int r = 0; r < 4; r++) {
          changed |= distribution.shape().linear(distribution.global(r, 0, 1)) == i;
        }
        assertThat(all[i]).isEqualTo(10L * i + (changed ? 1 : 0));
      }
    }
  }

  @Test
  void otherRanksOrShapesAreToldOnAllRanks() throws Exception {
    Shape shape = Shape.rowMajor(12, 2);
    Distribution four = rows(shape, 4, Spread.block());
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          4,
          rank ->
              LocalArrays.create(rank, "l", four, ElementType.INT8, OpenOptions.create()).close());
      cluster.run(
          3,
          rank -> {
            Distribution three = rows(shape, 3, Spread.block());
            invalid(
                () -> LocalArrays.open(rank, "l", three, OpenOptions.read()), "more than 3 ranks");
            invalid(() -> LocalArrays.open(rank, "l", four, OpenOptions.read()), "grid of 4 ranks");
          });
      cluster.run(
          4,
          rank -> {
            Distribution other = rows(Shape.rowMajor(13, 2), 4, Spread.block());
            invalid(() -> LocalArrays.open(rank, "l", other, OpenOptions.read()), "l.0");
            Distribution mixed = rank.number() == 3 ? rows(shape, 4, Spread.cyclic()) : four;
            assertThatThrownBy(() -> LocalArrays.open(rank, "l", mixed, OpenOptions.read()))
                .isInstanceOf(MixedCallException.class);
            LocalArrays.open(rank, "l", four, OpenOptions.read()).close();
          });
      cluster.run(
          5,
          rank -> {
            Distribution five = rows(Shape.rowMajor(15, 2), 5, Spread.block());
            assertThatThrownBy(() -> LocalArrays.open(rank, "l", five, OpenOptions.read()))
                .isInstanceOf(NoSuchNameException.class)
                .hasMessageContaining("rank 4");
          });
    }
  }

  private static void invalid(ThrowingCallable call, String word) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining(word);
  }

  @Test
  void partitionsFitTheCombinedMemoryAndCoverTheArray() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      for (Order order : Order.values()) {
        for (int ranks : new int[] {1, 3, 4}) {
          cluster.run(ranks, rank -> goOver(rank, Shape.of(order, 9, 5)));
        }
      }
    }
  }

  private static void goOver(Rank rank, Shape shape) throws IOException {
    try (GlobalArray array =
        GlobalArray.create(
            rank, "p.npy", shape, ElementType.INT64, OpenOptions.create().withTruncate())) {
      boolean first = rank.number() == 0;
      long[] all = new long[45];
      Arrays.setAll(all, i -> i);
      array.writeSection(
          first ? Section.whole(shape) : Section.of(Range.EMPTY, Range.EMPTY),
          Local.of(all, shape));
      Partitions partitions = Partitions.of(array, 80, 1);
      for (int buffers = 1; buffers <= 3; buffers++) {
        Partitions with = Partitions.of(array, 80, buffers);
        assertThat(with.count()).isGreaterThan(1);
        Set<Long> held = new HashSet<>();
        long[] max = {0};
        int factor = 1 + buffers;
        with.update(
            (p, distribution, mine) -> {
              held.add(mine.segment().address());
              max[0] = Math.max(max[0], mine.segment().byteSize());
              multiply(mine.segment(), factor);
            });
        assertThat(held).hasSizeLessThanOrEqualTo(buffers);
        assertThat(held.size() * max[0]).isLessThanOrEqualTo(80);
        rank.barrier();
      }
      array.readSection(Section.whole(shape), Local.of(all, shape));
      for (int i = 0; i < 45; i++) {
        assertThat(all[i]).isEqualTo(24L * i);
      }
      columnsOfOnePartition(rank, array, partitions);
      invalid(
          () ->
              partitions.load(0, partitions.blocks(0), Local.of(new int[1], Shape.rowMajor(1, 1))),
          "INT");
    }
  }

  /** A partition dealt out in its own way, into memory with a rim. */
  private static void columnsOfOnePartition(Rank rank, GlobalArray array, Partitions partitions)
      throws IOException {
    long last = partitions.count() - 1;
    Shape shape = partitions.shape(last);
    Distribution columns =
        Distribution.of(shape, Grid.of(1, rank.size()), Spread.none(), Spread.cyclic());
    Shape mine = columns.localShape(rank.number());
    Shape rim = Shape.rowMajor(mine.dimension(0) + 2, mine.dimension(1) + 2);
    long[] values = new long[(int) rim.elements()];
    partitions.load(last, columns, Local.of(values, rim).startingAt(1, 1));
    NaiveArray.each(
        mine,
        i -> {
          long[] inPartition = columns.global(rank.number(), i);
          long[] at = NaiveArray.at(partitions.section(last), inPartition);
          assertThat(values[(int) rim.linear(i[0] + 1, i[1] + 1)])
              .isEqualTo(24 * array.shape().linear(at));
        });
    partitions.store(last, columns, Local.of(values, rim).startingAt(1, 1));
  }
}
