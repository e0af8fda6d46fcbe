package org.millrace.heritage.passion;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** The cases with known answers that are about arrays: 20, 21, 24. */
final class PassionCasesTest {

  private static final List<Method> METHODS = List.of(Method.values());

  @TempDir private Path directory;

  @Test
  void case20AWholeArrayAndRandomSections() throws IOException {
    Shape shape = Shape.columnMajor(100, 100);
    int[] values = new int[10_000];
    Arrays.setAll(values, k -> k); // a(i,j) = i-1 + (j-1)*100
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (GlobalArrayFile file =
              new Passion(rank).createGlobalArrayFile("a", shape, ElementType.INT32)) {
            int half = 50 * rank.number();
            file.writeSection(
                "%d:%d, 1:100".formatted(half + 1, half + 50),
                Local.of(values, shape).startingAt(half, 0));
          }
        });
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (GlobalArrayFile file = new Passion(rank).openGlobalArrayFile("a")) {
            int[] found = new int[10_000];
            file.readSection("1:100, 1:100", Local.of(found, shape));
            assertThat(found).isEqualTo(values);
          }
          randomSections(rank);
        });
  }

  /** Each processor writes and reads its own random sections; all keep the model of all. */
  private static void randomSections(Rank rank) throws IOException {
    Random random = new Random(20);
    Shape shape = Shape.rowMajor(200, 200);
    double[] model = new double[40_000];
    try (GlobalArrayFile file =
        new Passion(rank).createGlobalArrayFile("d", shape, ElementType.FLOAT64)) {
      for (int i = 0; i < 30; i++) {
        file.use(METHODS.get(i % METHODS.size()));
        Section mine = Sections.nothing(2);
        for (int p = 0; p < rank.size(); p++) { // in order of processors, as overlaps end
          Section section = Section.of(range(random), range(random));
          mine = p == rank.number() ? section : mine;
          Shape counts = section.shape(Order.ROW_MAJOR);
          for (long k = 0; k < counts.elements(); k++) {
            model[at(section, counts, k)] = 1000.0 * (i * 3 + p) + k;
          }
        }
        Shape counts = mine.shape(Order.ROW_MAJOR);
        double base = 1000.0 * (i * 3 + rank.number());
        double[] values = new double[(int) counts.elements()];
        Arrays.setAll(values, k -> base + k);
        file.writeSection(Sections.text(mine), Local.of(values, counts));
        Shape turned = Shape.columnMajor(counts.dimension(0), counts.dimension(1));
        double[] back = new double[values.length];
        file.readSection(Sections.text(mine), Local.of(back, turned)); // memory of another order
        for (int k = 0; k < values.length; k++) {
          long[] index = counts.index(k);
          assertThat(back[(int) turned.linear(index)]).isEqualTo(model[at(mine, counts, k)]);
        }
      }
      double[] all = new double[40_000];
      file.readSection("1:200,1:200", Local.of(all, shape));
      assertThat(all).isEqualTo(model);
    }
  }

  private static Range range(Random random) {
    int lower = random.nextInt(200);
    return new Range(
        lower, lower + random.nextInt(Math.min(60, 200 - lower)), 1 + random.nextInt(4));
  }

  private static int at(Section section, Shape counts, long k) {
    long[] index = counts.index(k);
    long i = section.range(0).lower() + index[0] * section.range(0).stride();
    long j = section.range(1).lower() + index[1] * section.range(1).stride();
    return (int) (i * 200 + j);
  }

  /** As the case, a fifth of it: A is n x n, B is n x n/2, panels of n/5 columns of A. */
  @Test
  void case21OutOfCoreProductWithPrefetchedPanels() throws IOException {
    int n = 100;
    int panel = n / 5;
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Passion passion = new Passion(rank);
          Shape square = Shape.columnMajor(n, n);
          try (GlobalArrayFile a = passion.createGlobalArrayFile("a", square, ElementType.FLOAT64);
              GlobalArrayFile c =
                  passion.createGlobalArrayFile(
                      "c", Shape.columnMajor(n, n / 2), ElementType.FLOAT64)) {
            double[] all = new double[n * n];
            for (int k = 0; k < all.length; k++) {
              all[k] = (k % n + 1) + (k / n + 1);
            }
            a.writeSection(rank.number() == 0 ? "1:100,1:100" : "1:0,1:0", Local.of(all, square));
            int columns = n / 2 / rank.size(); // of B and C, this processor's
            double[] product = new double[n * columns];
            try (var window = a.reuse()) {
              for (int k = 0; k < n; k += panel) {
                Section now = Sections.of(1, n, 1, k + 1, k + panel, 1);
                Local part =
                    k + panel < n
                        ? window.next(now, Sections.of(1, n, 1, k + panel + 1, k + 2L * panel, 1))
                        : window.next(now);
                multiply(part, product, n, panel, columns, rank.number() * columns);
              }
            }
            c.writeSection(
                Local.of(product, Shape.columnMajor(n, columns)),
                1,
                n,
                1,
                1 + (long) rank.number() * columns,
                (rank.number() + 1L) * columns,
                1);
            double[] found = new double[n * n / 2];
            c.readSection("1:100,1:50", Local.of(found, Shape.columnMajor(n, n / 2)));
            for (int k = 0; k < found.length; k++) {
              double i = k % n + 1;
              double j = k / n + 1;
              assertThat(found[k]).isCloseTo(0.5 * n * j * (n + 1 + 2 * i), Offset.offset(1e-8));
            }
          }
        });
  }

  /** Adds a panel of A times its rows of B, whose element (k, j) is j. */
  private static void multiply(
      Local a, double[] c, int n, int panel, int columns, int firstColumn) {
    for (int j = 0; j < columns; j++) {
      for (int k = 0; k < panel; k++) {
        for (int i = 0; i < n; i++) {
          long at = 8L * (i + (long) k * n);
          c[i + j * n] += a.segment().get(ValueLayout.JAVA_DOUBLE, at) * (firstColumn + j + 1);
        }
      }
    }
  }

  @Test
  void case24GhostCellsStayAtHome() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Shape shape = Shape.rowMajor(8, 8);
          int[] local = new int[64];
          Arrays.fill(local, -8);
          for (int i = 2; i < 6; i++) {
            Arrays.fill(local, i * 8 + 2, i * 8 + 6, rank.number());
          }
          int row = rank.number() / 2 * 4;
          int column = rank.number() % 2 * 4;
          try (GlobalArrayFile file =
              new Passion(rank).createGlobalArrayFile("ghost", shape, ElementType.INT32)) {
            file.writeSection(
                Local.of(local, shape).startingAt(2, 2),
                row + 1,
                row + 4,
                1,
                column + 1,
                column + 4,
                1);
            int[] found = new int[64];
            file.readSection("1:8,1:8", Local.of(found, shape));
            for (int k = 0; k < 64; k++) {
              assertThat(found[k]).isEqualTo(k / 8 / 4 * 2 + k % 8 / 4);
            }
          }
        });
  }
}
