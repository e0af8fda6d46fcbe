package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** The cases with known answers about views: 10 to 17 and 24. */
final class MpiioViewCasesTest {

  private static final long DFLT = Datatype.DISTRIBUTE_DFLT_DARG;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 3, program);
  }

  private static Datatype placed(long displacement, Datatype type, long extent) {
    return Datatype.createResized(
        Datatype.createHIndexed(new long[] {1}, new long[] {displacement}, type), 0, extent);
  }

  @Test
  void case10BlocksInThreeDimensions() throws IOException {
    for (int ranks : new int[] {1, 4, 6}) {
      run(ranks, rank -> blocks(rank, Grid.balanced(rank.size(), 3)));
    }
  }

  private static void blocks(Rank rank, Grid grid) throws IOException {
    int n = 32;
    int[] psizes = grid.dims().stream().mapToInt(Integer::intValue).toArray();
    Distrib[] distribs = {Distrib.BLOCK, Distrib.BLOCK, Distrib.BLOCK};
    Datatype mine =
        Datatype.createDarray(
            rank.size(),
            rank.number(),
            new long[] {n, n, n},
            distribs,
            new long[] {DFLT, DFLT, DFLT},
            psizes,
            Order.ROW_MAJOR,
            Datatype.INT);
    int count = (int) (mine.getSize() / 4);
    int[] at = grid.coordinates(rank.number());
    int[] block = new int[3];
    Arrays.setAll(block, d -> Math.ceilDiv(n, psizes[d]));
    int columns = Math.min(n, (at[2] + 1) * block[2]) - at[2] * block[2];
    int rows = Math.min(n, (at[1] + 1) * block[1]) - at[1] * block[1];
    MemorySegment indices =
        Ints.of(
            count,
            k ->
                ((at[0] * block[0] + k / columns / rows) * n
                            + at[1] * block[1]
                            + k / columns % rows)
                        * n
                    + at[2] * block[2]
                    + k % columns);
    try (File file = File.open(rank, "cube" + rank.size(), Ints.CREATE)) {
      file.setView(0, Datatype.INT, mine, Ints.NATIVE);
      file.writeAll(indices, count, Datatype.INT);
      rank.barrier();
      if (rank.number() == 0) {
        int[] all = Ints.file(rank, "cube" + rank.size());
        assertThat(all).isEqualTo(IntStream.range(0, n * n * n).toArray());
      }
      MemorySegment back = Ints.of(count, _ -> -1);
      assertThat(file.readAtAll(0, back, count, Datatype.INT).bytes()).isEqualTo(4L * count);
      assertThat(back.mismatch(indices)).isEqualTo(-1);
    }
  }

  @Test
  void case11OffsetsOfAViewWithHoles() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "holes", Ints.CREATE)) {
            Datatype vector = Datatype.createVector(10, 10, 20, Datatype.INT);
            file.setView(1000, Datatype.INT, vector, Ints.NATIVE);
            assertThat(file.getByteOffset(10)).isEqualTo(1080);
            file.setSize(1060);
            file.seek(0, Whence.SEEK_END);
            assertThat(file.getPosition()).isEqualTo(10);
            file.seekShared(-3, Whence.SEEK_END);
            assertThat(file.getPositionShared()).isEqualTo(7);
          }
        });
  }

  @Test
  void case12MemoryAndFileOfEveryOtherInt() throws IOException {
    int n = 5000;
    run(
        2,
        rank -> {
          int r = rank.number();
          Datatype every = Datatype.createVector(n / 2, 1, 2, Datatype.INT);
          Datatype mine = placed(4L * r, every, 4L * n);
          MemorySegment values = Ints.of(n, i -> i + n * r);
          try (File a = File.open(rank, "a", Ints.CREATE);
              File b = File.open(rank, "b", Ints.CREATE);
              File c = File.open(rank, "c", Ints.CREATE)) {
            a.setView(0, Datatype.INT, mine, Ints.NATIVE);
            a.write(values, 1, mine);
            b.setView(r * 10_000L, Datatype.INT, Datatype.INT, Ints.NATIVE);
            b.write(values, 1, mine);
            c.setView(0, Datatype.INT, mine, Ints.NATIVE);
            c.write(values, n, Datatype.INT);
            rank.barrier();
            MemorySegment back = Ints.of(n, _ -> -1);
            a.readAt(0, back, 1, mine);
            assertThat(Ints.in(back))
                .isEqualTo(Ints.in(Ints.of(n, i -> i % 2 == r ? i + n * r : -1)));
          }
          assertThat(Ints.file(rank, "a")).isEqualTo(of(n, p -> p + n * (p % 2)));
          assertThat(Ints.file(rank, "b"))
              .isEqualTo(of(n, p -> 2 * (p % 2500) + p / 2500 + n * (p / 2500)));
          assertThat(Ints.file(rank, "c"))
              .isEqualTo(of(2 * n, p -> 2500 * (p / n) + p % n / 2 + n * (p % n % 2)));
        });
  }

  private static int[] of(int count, IntUnaryOperator value) {
    return Ints.in(Ints.of(count, value));
  }

  @Test
  void case13CyclicBlocksInFortranOrder() throws IOException {
    double[][] expected = {
      {0, 1, 2, 5, 6, 7, 10, 11, 12},
      {15, 16, 17, 20, 21, 22},
      {3, 4, 8, 9, 13, 14},
      {18, 19, 23, 24}
    };
    run(
        4,
        rank -> {
          try (File file = File.open(rank, "fortran", Ints.CREATE)) {
            if (rank.number() == 0) {
              double[] all = IntStream.range(0, 25).asDoubleStream().toArray();
              file.writeAt(0, MemorySegment.ofArray(all), 25, Datatype.DOUBLE);
            }
            Datatype mine =
                Datatype.createDarray(
                    4,
                    rank.number(),
                    new long[] {5, 5},
                    new Distrib[] {Distrib.CYCLIC, Distrib.CYCLIC},
                    new long[] {3, 3},
                    new int[] {2, 2},
                    Order.COLUMN_MAJOR,
                    Datatype.DOUBLE);
            file.setView(0, Datatype.DOUBLE, mine, Ints.NATIVE);
            double[] got = new double[(int) (mine.getSize() / 8)];
            file.readAll(MemorySegment.ofArray(got), got.length, Datatype.DOUBLE);
            assertThat(got).containsExactly(expected[rank.number()]);
          }
        });
  }

  @Test
  void case14RanksThatOwnLittleOrNothing() throws IOException {
    long[][] slots = {{0, 4, 5}, {1, 2, 3}, {}};
    int[][] values = {{10, 20, 30}, {-1, -2, -3}, {}};
    run(
        3,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "little", Ints.CREATE)) {
            file.setView(0, Datatype.INT, Ints.slots(6, slots[r]), Ints.NATIVE);
            for (int twice = 0; twice < 2; twice++) {
              file.writeAll(MemorySegment.ofArray(values[r]), values[r].length, Datatype.INT);
            }
          }
          assertThat(Ints.file(rank, "little"))
              .containsExactly(10, -1, -2, -3, 20, 30, 10, -1, -2, -3, 20, 30);
        });
  }

  @Test
  void case15ViewsThatInterlockFillEveryRowInOrderedRounds() throws IOException {
    for (int ranks : new int[] {1, 3}) {
      run(
          ranks,
          rank -> {
            String name = "interlock" + ranks;
            try (File evens = File.open(rank, name, Ints.CREATE);
                File odds = File.open(rank, name, Ints.CREATE)) {
              evens.setView(0, Datatype.INT, Ints.slots(7, 0, 2, 4, 6), Ints.NATIVE);
              odds.setView(0, Datatype.INT, Ints.slots(7, 1, 3, 5), Ints.NATIVE);
              for (int i = 0; i < 5; i++) {
                int first = 10 * (rank.number() + 1) + i;
                evens.writeOrdered(Ints.of(4, k -> first + 2 * k), 4, Datatype.INT);
                odds.writeOrdered(Ints.of(3, k -> first + 2 * k + 1), 3, Datatype.INT);
              }
            }
            assertThat(Ints.file(rank, name))
                .isEqualTo(of(35 * ranks, p -> 10 * (p / 7 % ranks + 1) + p / 7 / ranks + p % 7));
          });
    }
  }

  @Test
  void case16PiecesOneByOneAtOnceAndTogetherGiveTheSameFile() throws IOException {
    for (int seed = 0; seed < 8; seed++) {
      Random random = new Random(seed);
      List<List<Long>> at = List.of(list(), list(), list(), list());
      List<List<Long>> lengths = List.of(list(), list(), list(), list());
      long end = random.nextInt(50);
      for (int piece = 0; piece < 60; piece++) {
        int owner = random.nextInt(4);
        long length = 1L + random.nextInt(300);
        at.get(owner).add(end);
        lengths.get(owner).add(length);
        end += length + (random.nextBoolean() ? 0 : random.nextInt(100));
      }
      int mark = seed;
      run(4, rank -> threeWays(rank, mark, at.get(rank.number()), lengths.get(rank.number())));
    }
  }

  private static List<Long> list() {
    return new ArrayList<>();
  }

  private static void threeWays(Rank rank, int seed, List<Long> at, List<Long> lengths)
      throws IOException {
    long[] displacements = at.stream().mapToLong(Long::longValue).toArray();
    long[] sizes = lengths.stream().mapToLong(Long::longValue).toArray();
    byte[] data = new byte[(int) Arrays.stream(sizes).sum()];
    new Random(seed + 100L * rank.number()).nextBytes(data);
    Datatype mine = Datatype.createHIndexed(sizes, displacements, Datatype.BYTE);
    String[] names = {"pieces" + seed, "once" + seed, "together" + seed};
    try (File pieces = File.open(rank, names[0], Ints.CREATE);
        File once = File.open(rank, names[1], Ints.CREATE);
        File together = File.open(rank, names[2], Ints.CREATE)) {
      int from = 0;
      for (int i = 0; i < sizes.length; i++) {
        int to = from + (int) sizes[i];
        pieces.writeAt(
            displacements[i], Arrays.copyOfRange(data, from, to), sizes[i], Datatype.BYTE);
        from = to;
      }
      once.setView(0, Datatype.BYTE, mine, Ints.NATIVE);
      once.write(data, data.length, Datatype.BYTE);
      together.setView(0, Datatype.BYTE, mine, Ints.NATIVE);
      together.writeAll(data, data.length, Datatype.BYTE);
    }
    byte[] expected = Ints.bytes(rank, names[0]);
    assertThat(Ints.bytes(rank, names[1])).isEqualTo(expected);
    assertThat(Ints.bytes(rank, names[2])).isEqualTo(expected);
  }

  @Test
  void case17AViewOfMoreThan100MillionRunsCostsWhatOneOfTenCosts() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "sparse", Ints.CREATE)) {
            allocated(file, 10); // once, so that all classes are there
            long ten = allocated(file, 10);
            long many = allocated(file, 300_000_000);
            assertThat(many).isLessThan(ten + (4L << 20)); // a list of the runs: gigabytes
          }
        });
  }

  private static long allocated(File file, long runs) throws IOException {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getTotalThreadAllocatedBytes();
    Datatype every = Datatype.createVector(runs, 1, 2, Datatype.INT);
    file.setView(4, Datatype.INT, every, Ints.NATIVE);
    long middle = runs / 2;
    file.writeAt(middle, Ints.of(3, i -> 7 + i), 3, Datatype.INT);
    MemorySegment back = Ints.of(3, _ -> 0);
    file.readAt(middle, back, 3, Datatype.INT);
    assertThat(Ints.in(back)).containsExactly(7, 8, 9);
    assertThat(file.getByteOffset(middle)).isEqualTo(4 + 8 * middle);
    return threads.getTotalThreadAllocatedBytes() - before;
  }

  @Test
  void case24GhostCellsStayInMemory() throws IOException {
    run(
        4,
        rank -> {
          int r = rank.number();
          MemorySegment local =
              Ints.of(64, k -> k / 8 < 2 || k / 8 > 5 || k % 8 < 2 || k % 8 > 5 ? -8 : r);
          Datatype interior = square(8, 4, 2, 2);
          Datatype quadrant = square(8, 4, r / 2 * 4L, r % 2 * 4L);
          try (File file = File.open(rank, "ghosts", Ints.CREATE)) {
            file.setView(0, Datatype.INT, quadrant, Ints.NATIVE);
            file.writeAll(local, 1, interior);
            MemorySegment back = Ints.of(64, _ -> -8);
            file.readAtAll(0, back, 1, interior);
            assertThat(back.mismatch(local)).isEqualTo(-1);
          }
          assertThat(Ints.file(rank, "ghosts")).isEqualTo(of(64, k -> k / 32 * 2 + k % 8 / 4));
        });
  }

  private static Datatype square(long size, long side, long row, long column) {
    return Datatype.createSubarray(
        new long[] {size, size},
        new long[] {side, side},
        new long[] {row, column},
        Order.ROW_MAJOR,
        Datatype.INT);
  }
}
