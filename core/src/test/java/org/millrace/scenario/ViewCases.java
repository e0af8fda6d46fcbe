package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;

/** Views: cases 10 to 15, except 12. */
abstract class ViewCases {

  private static final OpenOptions CREATE = OpenOptions.create();

  abstract Worlds worlds();

  @Test
  void case10BlocksInThreeDimensionsMakeTheWholeArray() throws Exception {
    assertThat(Grid.balanced(4, 3)).isEqualTo(Grid.of(2, 2, 1));
    worlds()
        .inEach(
            world -> {
              for (int ranks : new int[] {1, 3, 4}) {
                writeCube(world, ranks);
              }
            });
  }

  private static void writeCube(World world, int ranks) throws Exception {
    int n = 32;
    Grid grid = Grid.balanced(ranks, 3);
    Spread block = Spread.block();
    var blocks = Distribution.of(Shape.rowMajor(n, n, n), grid, block, block, block);
    String name = "cube" + ranks;
    world.run(
        ranks,
        rank -> {
          byte[] mine = Bytes.ofInts(cubePart(n, grid, grid.coordinates(rank.number())));
          try (var file = rank.open(name, CREATE)) {
            file.setView(
                new View(0, blocks.part(rank.number(), Bytes.INT), (long) n * n * n * Bytes.INT));
            assertThat(file.all().write(MemorySegment.ofArray(mine))).isEqualTo(mine.length);
            if (rank.number() == 0) {
              assertThat(Bytes.ofFile(rank, name)).isEqualTo(Bytes.ints(n * n * n, k -> k));
            }
            byte[] back = new byte[mine.length];
            assertThat(file.at(0).all().read(MemorySegment.ofArray(back))).isEqualTo(back.length);
            assertThat(back).isEqualTo(mine);
          }
        });
  }

  /** The global indices of a rank's elements, found by asking every element whose it is. */
  private static int[] cubePart(int n, Grid grid, int[] coordinates) {
    return IntStream.range(0, n * n * n)
        .filter(
            k -> {
              int[] index = {k / n / n, k / n % n, k % n};
              return IntStream.range(0, 3)
                  .allMatch(d -> index[d] / Math.ceilDiv(n, grid.dimension(d)) == coordinates[d]);
            })
        .toArray();
  }

  @Test
  void case11EndInAHoleIsThePositionBehindTheHole() throws Exception {
    View vector =
        new View(
            1000, Pattern.loop(10, 20 * Bytes.INT, Pattern.run(10 * Bytes.INT)), 190 * Bytes.INT);
    assertThat(vector.offsetOf(10 * Bytes.INT)).isEqualTo(1080);
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("hole", CREATE)) {
                        file.resize(1060);
                        file.setView(vector);
                        assertThat(file.seekToEnd(0)).isEqualTo(10 * Bytes.INT);
                        assertThat(file.position()).isEqualTo(10 * Bytes.INT);
                        assertThat(file.read(Memory.of(new byte[4]))).isZero();
                        rank.barrier();
                        if (rank.number() == 2) {
                          file.write(Memory.of(Bytes.ofInts(77)));
                        }
                        rank.barrier();
                        assertThat(file.size()).isEqualTo(1084);
                        byte[] all = Bytes.ofFile(rank, "hole");
                        assertThat(Arrays.copyOfRange(all, 1080, 1084)).isEqualTo(Bytes.ofInts(77));
                        assertThat(Arrays.copyOf(all, 1080)).containsOnly(0);
                      }
                    }));
  }

  @Test
  void case13FortranBlockCyclicPartsAreInStorageOrder() throws Exception {
    double[][] parts = {
      {0, 1, 2, 5, 6, 7, 10, 11, 12},
      {15, 16, 17, 20, 21, 22},
      {3, 4, 8, 9, 13, 14},
      {18, 19, 23, 24}
    };
    Spread cyclic = Spread.blockCyclic(3);
    var deal = Distribution.of(Shape.columnMajor(5, 5), Grid.of(2, 2), cyclic, cyclic);
    byte[] whole = Bytes.ofDoubles(IntStream.range(0, 25).asDoubleStream().toArray());
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("darray", CREATE)) {
                        if (rank.number() == 3) {
                          file.at(0).write(Memory.of(whole));
                        }
                        file.setView(
                            new View(0, deal.part(rank.number(), Double.BYTES), whole.length));
                        double[] expected = parts[rank.number()];
                        byte[] mine = new byte[expected.length * Double.BYTES];
                        assertThat(file.all().read(MemorySegment.ofArray(mine)))
                            .isEqualTo(mine.length);
                        assertThat(Bytes.toDoubles(mine)).isEqualTo(expected);
                        file.setView(View.WHOLE);
                        file.resize(0);
                        file.setView(
                            new View(0, deal.part(rank.number(), Double.BYTES), whole.length));
                        file.all().write(MemorySegment.ofArray(mine));
                        assertThat(Bytes.ofFile(rank, "darray")).isEqualTo(whole);
                      }
                    }));
  }

  @Test
  void case14IndexListsAndARankWithoutAnyInterleave() throws Exception {
    View[] views = {ints(6, 0, 4, 5), ints(6, 1, 2, 3), View.EMPTY};
    byte[][] values = {Bytes.ofInts(10, 20, 30), Bytes.ofInts(-1, -2, -3), {}};
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("indexed", CREATE)) {
                        file.setView(views[rank.number()]);
                        for (int time = 0; time < 2; time++) {
                          MemorySegment mine = MemorySegment.ofArray(values[rank.number()]);
                          assertThat(file.all().write(mine)).isEqualTo(mine.byteSize());
                        }
                        assertThat(Bytes.toInts(Bytes.ofFile(rank, "indexed")))
                            .containsExactly(10, -1, -2, -3, 20, 30, 10, -1, -2, -3, 20, 30);
                      }
                    }));
  }

  @Test
  void case15ViewsThatInterlockFillEveryRowInOrderedRounds() throws Exception {
    int rounds = 5;
    int[] even = {0, 2, 4, 6};
    int[] odd = {1, 3, 5};
    for (int ranks : new int[] {1, 3, 4}) {
      worlds()
          .inEach(
              world ->
                  world.run(
                      ranks,
                      rank -> {
                        try (var evens = rank.open("locked", CREATE);
                            var odds = rank.open("locked", CREATE)) {
                          evens.setView(ints(7, even));
                          odds.setView(ints(7, odd));
                          for (int i = 0; i < rounds; i++) {
                            int first = 10 * (rank.number() + 1) + i;
                            evens
                                .ordered()
                                .write(MemorySegment.ofArray(Bytes.ints(4, k -> first + even[k])));
                            odds.ordered()
                                .write(MemorySegment.ofArray(Bytes.ints(3, k -> first + odd[k])));
                          }
                          rank.barrier();
                          int[] all = Bytes.toInts(Bytes.ofFile(rank, "locked"));
                          assertThat(all).hasSize(7 * ranks * rounds);
                          for (int at = 0; at < all.length; at++) {
                            int row = at / 7;
                            assertThat(all[at])
                                .isEqualTo(10 * (row % ranks + 1) + row / ranks + at % 7);
                          }
                        }
                      }));
    }
  }

  /** A view of the ints in the given slots of each tile of {@code slots}. */
  static View ints(int slots, int... chosen) {
    long[] offsets = Arrays.stream(chosen).mapToLong(slot -> (long) slot * Bytes.INT).toArray();
    long[] lengths = LongStream.generate(() -> Bytes.INT).limit(chosen.length).toArray();
    return new View(0, Pattern.indexed(offsets, lengths), (long) slots * Bytes.INT);
  }
}
