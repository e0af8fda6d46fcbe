package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.testing.Seeds;

/** The cases with known answers that are about arrays, by every strategy: 10, 13, 20, 21, 24. */
final class ArrayCasesTest {

  private static OpenOptions options(Strategy strategy) {
    return OpenOptions.create().withHints(Hints.DEFAULT.withStrategy(strategy));
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void case10BlocksInThreeDimensions(Strategy strategy) throws Exception {
    for (int ranks : new int[] {1, 3, 4, 8}) {
      try (RunningCluster cluster = ArrayFixture.cluster(3)) {
        cluster.run(ranks, rank -> blocks(rank, strategy));
      }
    }
  }

  private static void blocks(Rank rank, Strategy strategy) throws IOException {
    Shape shape = Shape.rowMajor(32, 32, 32);
    Spread block = Spread.block();
    var distribution = Distribution.of(shape, Grid.balanced(rank.size(), 3), block, block, block);
    Shape local = distribution.localShape(rank.number());
    int[] mine = new int[(int) local.elements()];
    for (int i = 0; i < mine.length; i++) {
      mine[i] = (int) shape.linear(distribution.global(rank.number(), local.index(i)));
    }
    try (GlobalArray array =
        GlobalArray.create(rank, "blocks.npy", shape, ElementType.INT32, options(strategy))) {
      assertThat(array.writeDistributed(distribution, Local.of(mine, local)))
          .isEqualTo(mine.length * 4L);
      rank.barrier();
      if (rank.number() == 0) {
        int[] all = new int[32 * 32 * 32];
        array.readSectionAlone(ArrayFixture.whole(array), Local.of(all, shape));
        for (int k = 0; k < all.length; k++) {
          assertThat(all[k]).isEqualTo(k);
        }
      }
      int[] back = new int[mine.length];
      array.readDistributedAsync(distribution, Local.of(back, local)).join();
      assertThat(back).isEqualTo(mine);
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void case13BlocksInTurnOfAColumnMajorArray(Strategy strategy) throws Exception {
    double[][] wanted = {
      {0, 1, 2, 5, 6, 7, 10, 11, 12},
      {15, 16, 17, 20, 21, 22},
      {3, 4, 8, 9, 13, 14},
      {18, 19, 23, 24}
    };
    try (RunningCluster cluster = ArrayFixture.cluster(2, 24)) {
      cluster.run(
          4,
          rank -> {
            Shape shape = Shape.columnMajor(5, 5);
            Spread three = Spread.blockCyclic(3);
            var distribution = Distribution.of(shape, Grid.of(2, 2), three, three);
            try (GlobalArray array =
                GlobalArray.create(rank, "d.npy", shape, ElementType.FLOAT64, options(strategy))) {
              double[] all = new double[25];
              Arrays.setAll(all, i -> i);
              boolean first = rank.number() == 0;
              array.writeSection(
                  first ? Section.whole(shape) : Section.of(Range.EMPTY, Range.EMPTY),
                  Local.of(all, shape));
              Shape local = distribution.localShape(rank.number());
              double[] mine = new double[(int) local.elements()];
              array.readDistributed(distribution, Local.of(mine, local));
              assertThat(mine).isEqualTo(wanted[rank.number()]);
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void case20WholeArrayAndThirtyRandomSections(Strategy strategy) throws Exception {
    for (long seed : Seeds.of(2)) {
      try (RunningCluster cluster = ArrayFixture.cluster(4)) {
        cluster.run(2, rank -> writeOnce(rank, strategy));
        cluster.run(3, rank -> thirtySections(rank, strategy, seed));
      }
    }
  }

  private static void writeOnce(Rank rank, Strategy strategy) throws IOException {
    Shape shape = Shape.columnMajor(100, 100);
    int[] values = new int[10_000];
    Arrays.setAll(values, i -> i); // a(i,j) = i-1 + (j-1)*100, first index fastest
    try (GlobalArray array =
        GlobalArray.create(rank, "int.npy", shape, ElementType.INT32, options(strategy))) {
      boolean first = rank.number() == 0;
      array.writeSection(
          first ? Section.parse("0:49,0:99") : Section.parse("50:99,0:99"),
          Local.of(values, shape).startingAt(first ? 0 : 50, 0));
    }
    try (GlobalArray array =
        GlobalArray.open(
            rank, "int.npy", OpenOptions.read().withHints(Hints.DEFAULT.withStrategy(strategy)))) {
      int[] found = new int[10_000];
      array.readSection(Section.whole(shape), Local.of(found, shape));
      assertThat(found).isEqualTo(values);
      int[] byRow = new int[10_000];
      array.readSection(Section.whole(shape), Local.of(byRow, Shape.rowMajor(100, 100)));
      assertThat(byRow[1]).isEqualTo(100);
      int[] turned = new int[10_000];
      array.readSection(
          Section.whole(shape), Local.of(turned, Shape.rowMajor(100, 100)).transposed());
      assertThat(turned).isEqualTo(values);
    }
  }

  private static void thirtySections(Rank rank, Strategy strategy, long seed) throws IOException {
    Random random = new Random(seed);
    Shape shape = Shape.rowMajor(200, 200);
    double[] model = new double[40_000];
    try (GlobalArray array =
        GlobalArray.create(rank, "double.npy", shape, ElementType.FLOAT64, options(strategy))) {
      for (int i = 0; i < 30; i++) {
        Section section = RandomSections.section(random, shape);
        Shape counts = section.shape(RandomSections.order(random));
        double base = 1000 * i;
        double[] values = new double[(int) counts.elements()];
        Arrays.setAll(values, k -> base + k);
        boolean mine = i % rank.size() == rank.number();
        array.writeSection(
            mine ? section : Section.of(Range.EMPTY, Range.EMPTY), Local.of(values, counts));
        for (int k = 0; k < values.length; k++) {
          model[(int) shape.linear(NaiveArray.at(section, counts.index(k)))] = values[k];
        }
      }
      for (int i = 0; i < 30; i++) {
        Section section = RandomSections.section(random, shape);
        long[] dims = {section.range(0).count() + 3, section.range(1).count() + 1};
        Shape memory = Shape.columnMajor(dims);
        double[] found = new double[(int) memory.elements()];
        array.readSection(section, Local.of(found, memory).startingAt(2, 1));
        NaiveArray.each(
            section.shape(shape.order()),
            index -> {
              double wanted = model[(int) shape.linear(NaiveArray.at(section, index))];
              assertThat(found[(int) memory.linear(index[0] + 2, index[1] + 1)])
                  .as(Seeds.replay(seed))
                  .isEqualTo(wanted);
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void case21OutOfCoreProductWithPrefetchedPanels(Strategy strategy) throws Exception {
    int n = 50;
    int m = 25;
    int panel = 10;
    try (RunningCluster cluster = ArrayFixture.cluster(3)) {
      cluster.run(1, rank -> product(rank, strategy, n, m, panel));
    }
  }

  private static void product(Rank rank, Strategy strategy, int n, int m, int panel)
      throws IOException {
    OpenOptions fresh = options(strategy).withTruncate();
    Shape square = Shape.columnMajor(n, n);
    try (GlobalArray a = GlobalArray.create(rank, "a.npy", square, ElementType.FLOAT64, fresh);
        GlobalArray b =
            GlobalArray.create(
                rank, "b.npy", Shape.columnMajor(n, m), ElementType.FLOAT64, fresh)) {
      double[] values = new double[n * n];
      Arrays.setAll(values, k -> k % n + 1 + k / n + 1);
      a.writeSection(Section.whole(square), Local.of(values, square));
      double[] rows = new double[n * m];
      Arrays.setAll(rows, k -> k / n + 1);
      b.writeSection(Section.whole(b.shape()), Local.of(rows, b.shape()));
      double[] c = new double[n * m];
      double[] columns = new double[n * panel];
      for (int first = 0; first < n; first += panel) {
        Section now = columns(n, first, panel);
        a.readSection(now, Local.of(columns, Shape.columnMajor(n, panel)));
        if (first + panel < n) {
          a.prefetch(columns(n, first + panel, panel));
        }
        for (int j = 0; j < m; j++) {
          for (int k = 0; k < panel; k++) {
            for (int i = 0; i < n; i++) {
              c[i + j * n] += columns[i + k * n] * rows[first + k + j * n];
            }
          }
        }
      }
      assertThat(a.prefetchHits()).isEqualTo(n / panel - 1);
      for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
          double wanted = 0.5 * n * j * (n + 1 + 2 * i);
          assertThat(c[i - 1 + (j - 1) * n]).isCloseTo(wanted, within(wanted));
        }
      }
    }
  }

  private static Offset<Double> within(double wanted) {
    return Offset.offset(1e-8 * wanted);
  }

  private static Section columns(int n, int first, int count) {
    return Section.of(Range.all(n), Range.of(first, first + count - 1L));
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void case24GhostCellsAreNotWritten(Strategy strategy) throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2, 16)) {
      cluster.run(
          4,
          rank -> {
            int[] local = new int[64];
            Arrays.fill(local, -8);
            for (int i = 0; i < 16; i++) {
              local[(2 + i / 4) * 8 + 2 + i % 4] = rank.number();
            }
            Shape shape = Shape.rowMajor(8, 8);
            Spread block = Spread.block();
            var quadrants = Distribution.of(shape, Grid.of(2, 2), block, block);
            try (GlobalArray array =
                GlobalArray.create(rank, "g.npy", shape, ElementType.INT32, options(strategy))) {
              array.writeDistributed(quadrants, ArrayFixture.ints(local, 8, 8).startingAt(2, 2));
              int[] all = new int[64];
              array.readSection(Section.whole(shape), ArrayFixture.ints(all, 8, 8));
              for (int i = 0; i < 64; i++) {
                assertThat(all[i]).isEqualTo(i / 32 * 2 + i % 8 / 4);
              }
              array.readDistributed(quadrants, ArrayFixture.ints(local, 8, 8).startingAt(4, 0));
              assertThat(local[0]).isEqualTo(-8); // the rim stays
              assertThat(local[32]).isEqualTo(rank.number());
            }
          });
    }
  }
}
