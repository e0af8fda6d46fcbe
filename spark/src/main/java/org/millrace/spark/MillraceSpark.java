package org.millrace.spark;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Runs ranks as tasks of Spark: one barrier stage whose tasks run at the same time and form a group
 * at a cluster of daemons, or are the cluster themselves ({@link Where}).
 *
 * <p>If a rank fails, or its executor dies, Spark ends the others and tries the whole stage again,
 * in a group of its own: nobody of an earlier attempt can take part in it, and a rank that was told
 * to end loses its session. So a program must be one that can begin anew: it makes its files with
 * {@code withTruncate()}, or with names that tell attempts apart ({@code
 * TaskContext.get().stageAttemptNumber()}), and renames what is whole.
 *
 * <p>Stateless.
 */
public final class MillraceSpark {

  private MillraceSpark() {}

  /** As {@link #run(SparkContext, int, String, RankProgram)}. */
  public static <R> List<R> run(
      JavaSparkContext spark, int ranks, String where, RankProgram<R> program) {
    return run(spark.sc(), ranks, where, program);
  }

  /**
   * Runs a program as so many ranks at a cluster of daemons, and waits for them. There must be a
   * slot for each.
   *
   * @param where the cluster of daemons as executors find it: the coordinator's address, or the
   *     cluster's directory. For {@code tls:} addresses the setting {@code spark.millrace.keys}
   *     says in which folder executors have their keys.
   * @return what they returned, by rank
   */
  public static <R> List<R> run(
      SparkContext spark, int ranks, String where, RankProgram<R> program) {
    return run(spark, ranks, Where.daemons(where), program);
  }

  /** As above, at any cluster; with nodes inside the executors it is empty when they begin. */
  public static <R> List<R> run(
      SparkContext spark, int ranks, Where where, RankProgram<R> program) {
    if (ranks < 1) {
      throw new IllegalArgumentException(ranks + " ranks, must be at least 1");
    }
    RDD<Integer> numbers =
        JavaSparkContext.fromSparkContext(spark)
            .parallelize(IntStream.range(0, ranks).boxed().toList(), ranks)
            .rdd();
    return run(numbers, where, (_, _) -> program);
  }

  /** Runs a rank for each partition. */
  static <T, R> List<R> run(
      RDD<T> partitions, Where where, RankTask.Preparation<T, R> preparation) {
    SparkContext spark = partitions.sparkContext();
    String run = spark.applicationId() + "." + UUID.randomUUID();
    ClassTag<RankResult> tag = ClassTag$.MODULE$.apply(RankResult.class);
    String keys = spark.conf().get("spark.millrace.keys", "");
    var job = new RankTask.Job(run, partitions.getNumPartitions(), where, keys);
    RankTask<T, R> task = new RankTask<>(job, preparation);
    RDD<RankResult> barrier = partitions.barrier().mapPartitions(task, false, tag);
    // Spark gives up a barrier stage whose results go to the driver when it fails for the first
    // time. One whose results another stage takes is tried again.
    List<RankResult> results = new JavaRDD<>(barrier, tag).coalesce(1, true).collect();
    return results.stream().sorted().map(MillraceSpark::<R>value).toList();
  }

  /**
   * Writes rows as one array, by so many ranks together. Each holds a block of the array in memory,
   * and all write it in one collective call, into an array that has another name until it is whole.
   * An attempt of the stage that fails leaves the array as it was.
   *
   * @param rows one for each element, in any order: columns {@code d0}, {@code d1} and so on (long)
   *     and {@code value} (int, long, float or double)
   * @param ranks there must be a slot for each
   * @throws IllegalStateException if an element has no row or several; no array is made then
   */
  public static void writeArray(Dataset<Row> rows, int ranks, ArrayOutput output)
      throws IOException {
    new CollectiveWrite(rows, ranks, output).run();
  }

  // What the program returned, null included.
  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"})
  private static <R> R value(RankResult result) {
    return (R) result.value();
  }
}
