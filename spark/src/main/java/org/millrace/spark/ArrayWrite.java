package org.millrace.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.jspecify.annotations.Nullable;
import org.millrace.Cluster;
import org.millrace.array.GlobalArray;
import org.millrace.files.FileTree;

/**
 * A write of one array by all tasks: each writes its elements to their places in one file that has
 * another name until all are there. Then it gets its name, in one step; what a job leaves that
 * fails is removed. Rows may come in any order and partition, but there must be one for each
 * element. Immutable; used by the driver's threads.
 *
 * @param array what is written
 */
record ArrayWrite(StagedArray array) implements RequiresDistributionAndOrdering, BatchWrite {

  static ArrayWrite of(LogicalWriteInfo info, boolean replacing) {
    if (SparkEnv.get().conf().getBoolean("spark.speculation", false)) {
      throw new IllegalArgumentException(
          "tasks write one file, so there must not be two of one: set spark.speculation to false");
    }
    ArrayPlace place = ArrayPlace.of(info.options());
    List<Long> shape = sizes("shape", ArrayPlace.required(info.options(), "shape"));
    List<Long> chunk =
        place.isNpy() ? List.of() : sizes("chunk", ArrayPlace.required(info.options(), "chunk"));
    var output = new ArrayOutput(place.cluster(), place.path(), shape, chunk, replacing);
    return new ArrayWrite(StagedArray.of(output, place.keys(), info.schema(), info.queryId()));
  }

  private static List<Long> sizes(String option, String text) {
    try {
      return Arrays.stream(text.split(",")).map(String::strip).map(Long::valueOf).toList();
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s '%s', must be like 100,200".formatted(option, text), e);
    }
  }

  @Override
  public String description() {
    return "millrace-array " + array.place().path() + " " + array.facts().dims();
  }

  @Override
  public Distribution requiredDistribution() {
    return Distributions.unspecified();
  }

  /** Then neighbours in the file come one after the other, and are written together. */
  @Override
  public SortOrder[] requiredOrdering() {
    SortOrder[] order = new SortOrder[array.facts().dims().size()];
    Arrays.setAll(
        order,
        d -> Expressions.sort(Expressions.column(ArrayFacts.index(d)), SortDirection.ASCENDING));
    return order;
  }

  @Override
  public BatchWrite toBatch() {
    return this;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    ArrayFacts facts = array.facts();
    try (Cluster cluster = array.place().connect();
        FileTree files = cluster.files()) {
      array.checkAbsent(files);
      AtomicReference<BlockWriter.@Nullable Factory> factory = new AtomicReference<>();
      cluster.run(
          1,
          rank -> {
            try (GlobalArray made = array.create(rank)) {
              ArrayPlace file = array.staged().withPath(made.file().path());
              var known = new ArrayFacts(facts.dims(), false, facts.values(), made.headerBytes());
              factory.set(new BlockWriter.Factory(file, known, array.chunk()));
            }
          });
      return Objects.requireNonNull(factory.get());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    ElementRuns.checkTiling(messages, array.facts().shape().elements());
    try {
      array.publish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    try {
      array.discard();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
