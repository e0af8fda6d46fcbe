package org.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.examples.Heat;
import org.millrace.examples.HeatPlan;
import org.millrace.examples.HeatRequest;
import org.millrace.examples.HeatResult;
import org.millrace.examples.HeatWatch;
import org.millrace.examples.Matmul;
import org.millrace.examples.MatmulRequest;
import org.millrace.examples.MatmulResult;
import org.millrace.examples.MatmulWatch;

/** Programs whose ranks are tasks of Spark, on executors that are processes. */
final class SparkRanksTest {

  private static final int ROWS = 64;
  private static final int COLUMNS = 1000;
  private static final Shape SHAPE = Shape.rowMajor(ROWS, COLUMNS);

  @TempDir private Path folder;

  private final TestSpark spark = TestSpark.shared();
  private final SparkContext context = spark.session().sparkContext();

  @Test
  void heatHasTheFieldThatRanksInOneJvmHave() throws IOException {
    HeatResult alone = Heat.run(request(folder.toString()), new Unwatched());
    String where = spark.where();
    List<Integer> checksums =
        MillraceSpark.run(
            context,
            2,
            where,
            rank ->
                Heat.run(request(where), new Unwatched(), (_, program) -> as(rank, program))
                    .map(SparkRanksTest::checksum)
                    .orElse(0));
    assertThat(checksums).containsExactly(checksum(alone), 0);
    System.out.printf("heat as a Spark job: checksum %08x%n", checksums.getFirst());
  }

  private static HeatRequest request(String directory) {
    return new HeatRequest(
        Path.of(directory),
        2,
        3,
        OptionalInt.of(96),
        OptionalInt.of(40),
        OptionalInt.of(10),
        false);
  }

  private static int checksum(HeatResult result) {
    return ((HeatResult.Done) result).checksum();
  }

  /** Runs a program of the examples as a rank that is there already. */
  private static void as(Rank rank, Program program) throws IOException {
    try {
      program.run(rank);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  @Test
  void matmulHasTheProductThatItsFormulaSays() {
    String where = spark.where();
    List<Double> errors =
        MillraceSpark.run(
            context,
            2,
            where,
            rank -> {
              var request = new MatmulRequest(Path.of(where), 2, 3, 120, 80, 40);
              Optional<MatmulResult> result =
                  Matmul.run(
                      request, Env.real(), new Unmultiplied(), (_, program) -> as(rank, program));
              return result.map(its -> ((MatmulResult.Done) its).error()).orElse(-1.0);
            });
    assertThat(errors.get(0)).isBetween(0.0, Matmul.TOLERANCE);
    assertThat(errors.get(1)).isEqualTo(-1);
    System.out.printf("matmul as a Spark job: largest error %.1e%n", errors.getFirst());
  }

  /**
   * In the first attempt rank 1 dies with its executor while rank 0 writes by itself, for ever. The
   * next attempt needs the slot of rank 0, so it begins only if rank 0's session was ended.
   */
  @Test
  void stageWhoseExecutorDiesIsTriedAgainAndTheResultIsRight() throws IOException {
    List<Integer> attempts =
        MillraceSpark.run(context, 2, spark.where(), SparkRanksTest::writeOrDie);
    assertThat(attempts).containsExactly(1, 1);
    assertThat(array("killed.npy")).isEqualTo(numbers());
  }

  /**
   * The nodes are the executors, and one is killed: nothing of the first attempt is left, neither
   * in the next one nor on the disk.
   */
  @Test
  void nodesInsideExecutorsBeginAnewWhenOneIsKilled() throws IOException {
    Path nodes = folder.resolve("nodes");
    List<String> seen =
        MillraceSpark.run(
            context, 2, Where.executors(nodes.toString()), SparkRanksTest::writeAsNodeOrDie);
    assertThat(seen)
        .containsExactly("attempt 1, 2 nodes, [], sum 1", "attempt 1, 2 nodes, [], sum 1");
    try (Stream<Path> left = Files.list(nodes)) {
      assertThat(left).isEmpty();
    }
    System.out.println("nodes inside executors, one killed: " + seen);
  }

  private static String writeAsNodeOrDie(Rank rank) throws IOException {
    int attempt = TaskContext.get().stageAttemptNumber();
    List<String> before = rank.names().list("");
    rank.barrier();
    double sum = 0;
    try (GlobalArray array =
        GlobalArray.create(rank, "a.npy", SHAPE, ElementType.FLOAT64, OpenOptions.create())) {
      int half = ROWS / 2;
      double[] values = new double[half * COLUMNS];
      values[0] = rank.number();
      array.writeSection(rows(rank.number()), Local.of(values, Shape.rowMajor(half, COLUMNS)));
      if (attempt == 0 && rank.number() == 1) {
        Runtime.getRuntime().halt(1);
      }
      double[] all = new double[ROWS * COLUMNS];
      array.readSection(Section.whole(SHAPE), Local.of(all, SHAPE));
      sum = Arrays.stream(all).sum();
    }
    int strands = rank.names().stat("a.npy").layout().orElseThrow().nodes().size();
    return "attempt %d, %d nodes, %s, sum %.0f".formatted(attempt, strands, before, sum);
  }

  /** A half of the array. */
  private static Section rows(int number) {
    int half = ROWS / 2;
    return Section.of(Range.of((long) number * half, (number + 1L) * half - 1), Range.all(COLUMNS));
  }

  private static int writeOrDie(Rank rank) throws IOException {
    int attempt = TaskContext.get().stageAttemptNumber();
    OpenOptions options = OpenOptions.create().withTruncate();
    try (GlobalArray array =
        GlobalArray.create(rank, "killed.npy", SHAPE, ElementType.FLOAT64, options)) {
      int half = ROWS / 2;
      Section mine = rows(rank.number());
      double[] values = new double[half * COLUMNS];
      for (int i = 0; i < values.length; i++) {
        values[i] = attempt == 0 ? -1 : (double) rank.number() * values.length + i;
      }
      Local local = Local.of(values, Shape.rowMajor(half, COLUMNS));
      array.writeSection(mine, local);
      if (attempt == 0 && rank.number() == 1) {
        Runtime.getRuntime().halt(1);
      }
      while (attempt == 0) {
        array.writeSectionAlone(mine, local);
      }
      array.flush();
    }
    return attempt;
  }

  private static double[] numbers() {
    double[] all = new double[ROWS * COLUMNS];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    return all;
  }

  private double[] array(String path) throws IOException {
    double[] all = new double[ROWS * COLUMNS];
    try (Cluster cluster = Cluster.connect(spark.where(), ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            try (GlobalArray array = GlobalArray.open(rank, path, OpenOptions.read())) {
              array.readSection(Section.whole(SHAPE), Local.of(all, SHAPE));
            }
          });
    }
    return all;
  }

  @Test
  void theErrorOfTheRankThatFailedIsReported() {
    assertThatThrownBy(
            () ->
                MillraceSpark.run(
                    context,
                    2,
                    spark.where(),
                    rank -> {
                      if (rank.number() == 1) {
                        throw new IllegalStateException("nobody expects this");
                      }
                      rank.barrier();
                      return 0;
                    }))
        .hasMessageContaining("java.lang.IllegalStateException: nobody expects this");
  }

  /** Looks at nothing. */
  private static final class Unwatched implements HeatWatch {
    @Override
    public void begun(HeatPlan plan) {}

    @Override
    public void stepped() {}

    @Override
    public void saved(int step) {}

    @Override
    public boolean wantsStop() {
      return false;
    }
  }

  /** Looks at nothing. */
  private static final class Unmultiplied implements MatmulWatch {
    @Override
    public void begun(int steps) {}

    @Override
    public void stepped() {}

    @Override
    public boolean wantsStop() {
      return false;
    }
  }
}
