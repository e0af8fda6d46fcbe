package org.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.UUID;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.millrace.Cluster;
import org.millrace.access.Shape;
import org.millrace.array.GlobalArray;
import org.millrace.client.Rank;
import org.millrace.files.FileTree;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * A write of one array by ranks together. A shuffle brings rows to the rank whose block they are
 * in; then the tasks of a barrier stage write all blocks in one collective call. Used by one thread
 * of the driver.
 *
 * <p>Each attempt of the stage has a file of its own, so that one that was given up by mistake
 * cannot write into that of the next.
 */
final class CollectiveWrite {

  private final Dataset<Row> rows;
  private final int ranks;
  private final StagedArray array;
  private final String id = UUID.randomUUID().toString();

  CollectiveWrite(Dataset<Row> rows, int ranks, ArrayOutput output) {
    this.rows = rows;
    this.ranks = ranks;
    if (ranks < 1 || output.shape().isEmpty() || ranks > Math.max(1, output.shape().getFirst())) {
      throw new IllegalArgumentException(
          "%s ranks for an array of %s: there must be one, and at most as many as the first dimension"
                  .formatted(ranks, output.shape())
              + " has indices");
    }
    String keys = context().conf().get("spark.millrace.keys", "");
    this.array = StagedArray.of(output, keys, rows.schema(), id);
  }

  private SparkContext context() {
    return rows.sparkSession().sparkContext();
  }

  /**
   * What a rank has done.
   *
   * @param attempt of the stage
   * @param wrong what is wrong with its rows; empty if nothing is
   */
  record Done(int attempt, String wrong) implements Serializable {}

  void run() throws IOException {
    try (Cluster cluster = array.place().connect();
        FileTree files = cluster.files()) {
      array.checkAbsent(files);
    }
    int last = attempts() - 1;
    try {
      List<Done> all = write();
      for (Done one : all) {
        if (!one.wrong.isEmpty()) {
          throw new IllegalStateException(one.wrong);
        }
      }
      last = all.getFirst().attempt;
      named(array, id, last).publish();
    } finally {
      for (int attempt = 0; attempt <= last; attempt++) {
        named(array, id, attempt)
            .discard(); // that of the last has its own name now, if all is well
      }
    }
  }

  private int attempts() {
    return context().conf().getInt("spark.stage.maxConsecutiveAttempts", 4);
  }

  private static StagedArray named(StagedArray array, String id, int attempt) {
    return array.named(id + "." + attempt);
  }

  private List<Done> write() {
    StagedArray staged = array;
    ArrayFacts facts = array.facts();
    String run = id;
    var blocks = new BlockRows.Blocks(ranks, facts);
    JavaPairRDD<Long, Object> elements =
        rows.javaRDD().mapToPair(row -> element(facts.shape(), row)).partitionBy(blocks);
    return MillraceSpark.run(
        elements.rdd(),
        Where.daemons(array.place().cluster()),
        (context, given) -> {
          BlockRows own = load(facts, blocks, context, given);
          StagedArray mine = named(staged, run, context.stageAttemptNumber());
          return rank -> new Done(context.stageAttemptNumber(), write(rank, mine, own));
        });
  }

  private static Tuple2<Long, Object> element(Shape shape, Row row) {
    long[] index = new long[shape.dimensions()];
    for (int d = 0; d < index.length; d++) {
      index[d] = row.getLong(d);
    }
    if (row.isNullAt(index.length)) {
      throw new IllegalArgumentException("the row " + row + " has no value");
    }
    return new Tuple2<>(shape.linear(index), row.get(index.length));
  }

  /** Ranks wait for each other as long as Spark does, and not only as long as a call may take. */
  private static BlockRows load(
      ArrayFacts facts,
      BlockRows.Blocks blocks,
      BarrierTaskContext context,
      Iterator<Tuple2<Long, Object>> given) {
    BlockRows own = new BlockRows(facts, blocks, context.partitionId());
    own.fill(given);
    context.barrier();
    return own;
  }

  /** If the rows of any rank are wrong nobody writes: Spark need not try again. */
  private static String write(Rank rank, StagedArray array, BlockRows own) throws IOException {
    if (rank.allReduceLong(own.wrong().isEmpty() ? 0 : 1, Math::max) == 0) {
      try (GlobalArray made = array.create(rank)) {
        made.writeSection(own.section(), own.local());
      }
    }
    return own.wrong();
  }
}
