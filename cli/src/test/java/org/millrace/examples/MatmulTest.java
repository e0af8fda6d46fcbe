package org.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.Cluster;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.client.OpenOptions;
import org.millrace.env.Env;

final class MatmulTest {

  @TempDir private Path folder;

  /** Looks on until so many steps are done. */
  private static final class StopAfter implements MatmulWatch {
    private final int most;
    private int steps;
    private int begun;

    StopAfter(int most) {
      this.most = most;
    }

    @Override
    public void begun(int all) {
      begun = all;
    }

    @Override
    public void stepped() {
      steps++;
    }

    @Override
    public boolean wantsStop() {
      return steps >= most;
    }
  }

  @ParameterizedTest(name = "{0} ranks, {1} nodes, n {2}, m {3}, panels of {4}")
  @CsvSource({
    "1, 1, 50, 25, 10",
    "4, 4, 50, 25, 10",
    "3, 2, 51, 26, 10", // ragged panels
    "4, 2, 40, 3, 7", // ranks without columns
    "2, 2, 30, 30, 100", // one panel
    "2, 3, 20, 90, 6", // several chunks of C for each rank
    "5, 1, 1, 1, 1"
  })
  void productIsThatOfTheFormula(int ranks, int nodes, int n, int m, int panel) throws IOException {
    MatmulRequest request = new MatmulRequest(folder, ranks, nodes, n, m, panel);
    StopAfter watch = new StopAfter(Integer.MAX_VALUE);
    MatmulResult.Done done = (MatmulResult.Done) Matmul.run(request, Env.real(), watch);
    assertThat(done.error()).isLessThanOrEqualTo(1e-12);
    assertThat(watch.steps).isEqualTo(watch.begun);
    int moves = request.rounds() * request.panels() - 1; // all but the first are asked for ahead
    assertThat(done.prefetched()).isEqualTo(2L * ranks * moves);
    assertThat(done.inTime()).isBetween(0L, done.prefetched());
    assertProduct(n, m);
  }

  private void assertProduct(int n, int m) throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      cluster.run(
          1,
          rank -> {
            try (GlobalArray c =
                GlobalArray.open(rank, MatmulRank.C + ".npy", OpenOptions.read())) {
              Shape shape = Shape.columnMajor(n, m);
              assertThat(c.shape()).isEqualTo(shape);
              double[] values = new double[n * m];
              c.readSection(Section.whole(shape), Local.of(values, shape));
              for (int i = 1; i <= n; i++) {
                for (int j = 1; j <= m; j++) {
                  assertThat(values[i - 1 + (j - 1) * n]).isEqualTo(0.5 * n * j * (n + 1 + 2 * i));
                }
              }
            }
          });
    }
  }

  @Test
  void stoppedAnywhereTheNextRunBeginsAnew() throws IOException {
    MatmulRequest request = new MatmulRequest(folder, 3, 2, 30, 20, 10);
    for (int most : new int[] {1, 4, request.steps() / 2}) {
      assertThat(Matmul.run(request, Env.real(), new StopAfter(most)))
          .isInstanceOf(MatmulResult.Stopped.class);
    }
    MatmulRequest other = new MatmulRequest(folder, 2, 3, 25, 20, 7);
    assertThat(Matmul.run(other, Env.real(), new StopAfter(Integer.MAX_VALUE)))
        .isInstanceOf(MatmulResult.Done.class);
    assertProduct(25, 20);
  }

  @Test
  void panelsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
    MatmulRequest request = new MatmulRequest(folder.resolve("x"), 2, 2, 2_000_000, 9, 2_000_000);
    assertThatThrownBy(() -> Matmul.run(request, Env.real(), new StopAfter(9)))
        .isInstanceOf(MatmulException.class)
        .hasMessageContaining("--panel");
    assertThat(folder.resolve("x")).doesNotExist();
  }
}
