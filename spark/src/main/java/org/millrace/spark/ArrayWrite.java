package org.millrace.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.millrace.Cluster;
import org.millrace.access.Shape;
import org.millrace.array.GlobalArray;
import org.millrace.client.OpenOptions;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;

/**
 * A write of one array by all tasks: each writes its elements to their places in one {@code .npy}
 * file that has another name until all are there. Then the file gets its name, in one step; what a
 * job leaves that fails is removed. Rows may come in any order and partition, but there must be one
 * for each element. Immutable; used by the driver's threads.
 *
 * @param place of the array
 * @param staged of the file until it is whole
 * @param facts what it becomes
 * @param replacing whether an array that is there is replaced
 */
record ArrayWrite(ArrayPlace place, ArrayPlace staged, ArrayFacts facts, boolean replacing)
    implements RequiresDistributionAndOrdering, BatchWrite {

  static ArrayWrite of(LogicalWriteInfo info, boolean replacing) {
    ArrayPlace place = ArrayPlace.of(info.options());
    if (!place.isNpy()) {
      throw new IllegalArgumentException(place.path() + ": only .npy files are written");
    }
    if (SparkEnv.get().conf().getBoolean("spark.speculation", false)) {
      throw new IllegalArgumentException(
          "tasks write one file, so there must not be two of one: set spark.speculation to false");
    }
    Shape shape = shape(ArrayPlace.required(info.options(), "shape"));
    ValueType values = ValueType.of(valueOf(info.schema(), shape.dimensions()).dataType());
    ArrayPlace staged = place.withPath(place.path() + "." + info.queryId() + ".npy");
    return new ArrayWrite(place, staged, new ArrayFacts(shape.dims(), false, values, 0), replacing);
  }

  private static Shape shape(String text) {
    try {
      return Shape.rowMajor(
          Arrays.stream(text.split(",")).map(String::strip).mapToLong(Long::parseLong).toArray());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("shape '" + text + "', must be like 100,200", e);
    }
  }

  private static StructField valueOf(StructType given, int dimensions) {
    List<String> names = new ArrayList<>();
    for (int d = 0; d < dimensions; d++) {
      names.add(ArrayFacts.index(d));
    }
    names.add(ArrayFacts.VALUE);
    if (!names.equals(List.of(given.fieldNames()))) {
      throw new IllegalArgumentException(
          "columns %s, must be %s".formatted(List.of(given.fieldNames()), names));
    }
    return given.apply(dimensions);
  }

  @Override
  public String description() {
    return "millrace-array " + place.path() + " " + facts.dims();
  }

  @Override
  public Distribution requiredDistribution() {
    return Distributions.unspecified();
  }

  /** Then neighbours in the file come one after the other, and are written together. */
  @Override
  public SortOrder[] requiredOrdering() {
    SortOrder[] order = new SortOrder[facts.dims().size()];
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
    try (Cluster cluster = place.connect();
        FileTree files = cluster.files()) {
      if (!replacing) {
        checkAbsent(files);
      }
      AtomicLong headerBytes = new AtomicLong();
      cluster.run(
          1,
          rank -> {
            OpenOptions options = OpenOptions.create().withTruncate();
            try (GlobalArray array =
                GlobalArray.create(rank, staged.path(), facts.shape(), facts.type(), options)) {
              headerBytes.set(array.headerBytes());
            }
          });
      ArrayFacts made = new ArrayFacts(facts.dims(), false, facts.values(), headerBytes.get());
      return new BlockWriter.Factory(staged, made);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void checkAbsent(FileTree files) throws IOException {
    try {
      files.stat(FilePath.of(place.path()));
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME) {
        return;
      }
      throw e;
    }
    throw new MillraceException(
        ErrorCode.NAME_EXISTS, place.path() + " is there; mode overwrite replaces it");
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    ElementRuns.checkTiling(messages, facts.shape().elements());
    try (Cluster cluster = place.connect();
        FileTree files = cluster.files()) {
      files.rename(
          FilePath.of(staged.path()),
          FilePath.of(place.path()),
          replacing ? Replacing.REPLACE : Replacing.NEVER);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    try (Cluster cluster = place.connect();
        FileTree files = cluster.files()) {
      files.remove(FilePath.of(staged.path()), Removing.FILE);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NO_SUCH_NAME) {
        throw new UncheckedIOException(e);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
