package org.millrace.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.Cluster;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.array.zarr.SharedZarr;
import org.millrace.array.zarr.ZarrMetadata;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;

/** Arrays as rows, and rows as arrays; and Parquet on the cluster's files. */
final class SparkArraysTest {

  private static final int ROWS = 30;
  private static final int COLUMNS = 40;

  private final TestSpark spark = TestSpark.shared();

  private Cluster connect() throws IOException {
    return Cluster.connect(spark.where(), ClusterOptions.DEFAULT);
  }

  private Dataset<Row> read(String path, int partitions) {
    return spark
        .session()
        .read()
        .format("millrace-array")
        .option("cluster", spark.where())
        .option("partitions", partitions)
        .load(path);
  }

  private static GlobalArray create(Rank rank, String kind, String path) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    Shape rows = Shape.rowMajor(ROWS, COLUMNS);
    return switch (kind) {
      case "zarr" ->
          SharedZarr.create(
              rank, path, ZarrMetadata.shared(rows, ElementType.FLOAT64, 7, 11), options);
      case "columns" ->
          GlobalArray.create(
              rank, path, Shape.columnMajor(ROWS, COLUMNS), ElementType.FLOAT64, options);
      default -> GlobalArray.create(rank, path, rows, ElementType.FLOAT64, options);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"rows", "columns", "zarr"})
  void arraysAreRowsWithTheirIndices(String kind) throws IOException {
    String path = kind.equals("zarr") ? "read-zarr" : "read-" + kind + ".npy";
    double[] values = new double[ROWS * COLUMNS];
    Arrays.setAll(values, i -> i);
    Shape shape = Shape.rowMajor(ROWS, COLUMNS);
    try (Cluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            try (GlobalArray array = create(rank, kind, path)) {
              array.writeSection(Section.whole(shape), Local.of(values, shape));
            }
          });
    }
    Dataset<Row> rows = read(path, 4);
    assertThat(rows.count()).isEqualTo(values.length);
    assertThat(rows.javaRDD().getNumPartitions()).isEqualTo(4);
    assertThat(rows.filter(col("value").notEqual(expr("d0 * 40 + d1"))).count()).isZero();
    assertThat(rows.select("d0", "d1").distinct().count()).isEqualTo(values.length);
  }

  @Test
  void partitionsPreferTheHostsThatHaveTheirBytes() throws IOException {
    arraysAreRowsWithTheirIndices("rows");
    var blocks =
        new ArrayScan(new ArrayPlace(spark.where(), "", "read-rows.npy"), 3).planInputPartitions();
    assertThat(blocks).hasSize(3);
    assertThat(blocks).allSatisfy(block -> assertThat(block.preferredLocations()).hasSize(1));
  }

  private Dataset<Row> rows() {
    return spark
        .session()
        .range(0, (long) ROWS * COLUMNS, 1, 5)
        .selectExpr("id div 40 as d0", "id % 40 as d1", "cast(id as double) / 2 as value");
  }

  private void write(Dataset<Row> rows, String path, SaveMode mode) {
    rows.write()
        .format("millrace-array")
        .option("cluster", spark.where())
        .option("shape", ROWS + "," + COLUMNS)
        .mode(mode)
        .save(path);
  }

  @Test
  void allPartitionsWriteOneArray() throws IOException {
    Dataset<Row> shuffled = rows().repartition(3, col("d1"));
    write(shuffled, "written.npy", SaveMode.Append);
    double[] values = new double[ROWS * COLUMNS];
    Shape shape = Shape.rowMajor(ROWS, COLUMNS);
    try (Cluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            try (GlobalArray array = GlobalArray.open(rank, "written.npy", OpenOptions.read())) {
              array.readSection(Section.whole(shape), Local.of(values, shape));
            }
          });
    }
    double[] expected = new double[values.length];
    Arrays.setAll(expected, i -> i / 2.0);
    assertThat(values).isEqualTo(expected);
    assertThatThrownBy(() -> write(rows(), "written.npy", SaveMode.Append))
        .hasStackTraceContaining("is there; mode overwrite replaces it");
    write(rows().withColumn("value", col("value").plus(1)), "written.npy", SaveMode.Overwrite);
    assertThat(read("written.npy", 1).agg(sum("value")).first().getDouble(0))
        .isEqualTo(Arrays.stream(expected).sum() + expected.length);
    assertThat(names()).filteredOn(name -> name.startsWith("written")).hasSize(1);
  }

  @Test
  void rowsThatAreMissingOrDoubleLeaveNoArray() throws IOException {
    assertThatThrownBy(() -> write(rows().filter("d0 <> 3"), "bad.npy", SaveMode.Append))
        .hasStackTraceContaining("no row for element 120");
    assertThatThrownBy(
            () -> write(rows().union(rows().filter("d0 = 2")), "bad.npy", SaveMode.Append))
        .hasStackTraceContaining("several rows for element 80");
    assertThatThrownBy(
            () -> write(rows().withColumn("d0", expr("d0 + 1")), "bad.npy", SaveMode.Append))
        .hasStackTraceContaining("is not below 30");
    assertThat(names()).noneMatch(name -> name.startsWith("bad"));
  }

  private void assertHolds(String path, double more) {
    Dataset<Row> all = read(path, 3);
    assertThat(all.count()).isEqualTo(ROWS * COLUMNS);
    assertThat(all.filter("value <> (d0 * 40 + d1) / 2.0D + " + more + "D").count()).isZero();
  }

  /** Chunks that tile neither dimension, so that there is padding. */
  @Test
  void zarrIsWrittenByTasksOneByOneAndReplacedInOneStep() throws IOException {
    rows()
        .repartition(3, col("d1"))
        .write()
        .format("millrace-array")
        .option("cluster", spark.where())
        .option("shape", ROWS + "," + COLUMNS)
        .option("chunk", "7,11")
        .mode(SaveMode.Append)
        .save("plain.zarr");
    assertHolds("plain.zarr", 0);
    MillraceSpark.writeArray(
        rows().withColumn("value", col("value").plus(1)),
        2,
        ArrayOutput.zarr(spark.where(), "plain.zarr", new long[] {ROWS, COLUMNS}, new long[] {8, 8})
            .withReplacing());
    assertHolds("plain.zarr", 1);
    assertThat(names()).filteredOn(name -> name.startsWith("plain")).containsExactly("plain.zarr");
    assertThatThrownBy(() -> write(rows(), "other.zarr", SaveMode.Append))
        .hasStackTraceContaining("needs the option 'chunk'");
  }

  @Test
  void ranksOfABarrierStageWriteOneArrayTogether() throws IOException {
    ArrayOutput output = ArrayOutput.npy(spark.where(), "together.npy", ROWS, COLUMNS);
    BarrierStages stages = new BarrierStages();
    spark.session().sparkContext().addSparkListener(stages);
    MillraceSpark.writeArray(rows().repartition(3, col("d1")), 2, output);
    spark.session().sparkContext().removeSparkListener(stages);
    assertHolds("together.npy", 0);
    assertThatThrownBy(() -> MillraceSpark.writeArray(rows(), 2, output))
        .hasMessageContaining("is there");
    MillraceSpark.writeArray(
        rows().withColumn("value", expr("value + 1")), 1, output.withReplacing());
    assertHolds("together.npy", 1);
    assertThat(names()).filteredOn(name -> name.startsWith("together")).hasSize(1);
    assertThat(stages.tasks).containsExactly(2);
  }

  /** How many tasks the barrier stages had. Spark calls it by one thread. */
  private static final class BarrierStages extends SparkListener {
    private final List<Integer> tasks = new CopyOnWriteArrayList<>();

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted event) {
      if (event.stageInfo().rddInfos().exists(info -> info.isBarrier())) {
        tasks.add(event.stageInfo().numTasks());
      }
    }
  }

  @Test
  void ranksWriteNothingIfAnyRowIsMissingOrDouble() throws IOException {
    ArrayOutput output = ArrayOutput.npy(spark.where(), "never.npy", ROWS, COLUMNS);
    assertThatThrownBy(() -> MillraceSpark.writeArray(rows().filter("d0 <> 3"), 2, output))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no row for element 120");
    assertThatThrownBy(
            () -> MillraceSpark.writeArray(rows().union(rows().filter("d0 = 20")), 2, output))
        .hasMessageContaining("several rows for element 800");
    assertThat(names()).noneMatch(name -> name.startsWith("never"));
  }

  private List<String> names() throws IOException {
    try (Cluster cluster = connect();
        FileTree files = cluster.files()) {
      return files.list(FilePath.of(""), "", 1000).entries().stream()
          .map(entry -> entry.name())
          .toList();
    }
  }

  @Test
  void parquetIsWrittenAndReadBySparkSql() {
    String path = "millrace://data/rows.parquet";
    rows()
        .withColumn("part", expr("d0 % 3"))
        .write()
        .mode(SaveMode.Overwrite)
        .partitionBy("part")
        .parquet(path);
    Dataset<Row> read = spark.session().read().parquet(path);
    assertThat(read.count()).isEqualTo(ROWS * COLUMNS);
    assertThat(read.filter("part <> d0 % 3 or value <> (d0 * 40 + d1) / 2.0D").count()).isZero();
    read.createOrReplaceTempView("numbers");
    Row row =
        spark
            .session()
            .sql("select count(*), sum(value) from numbers where part = 1 and d1 < 10")
            .first();
    assertThat(row.getLong(0)).isEqualTo(100);
  }
}
