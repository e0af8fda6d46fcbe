package org.millrace.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.millrace.Cluster;

/**
 * Arrays of a cluster as a data source of Spark, {@code millrace-array}: a row for each element.
 * The option {@code cluster} says where the daemons are, and the path is the array's in it.
 *
 * <p>Spark makes it by the constructor without arguments. Stateless.
 */
public final class ArraySource implements TableProvider, DataSourceRegister {

  /** For Spark. */
  public ArraySource() {}

  @Override
  public String shortName() {
    return "millrace-array";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    ArrayPlace place = ArrayPlace.of(options);
    try (Cluster cluster = place.connect()) {
      return ArrayFacts.of(place, cluster).schema();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Then a program that writes need not have an array to read. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new ArrayTable(schema, new CaseInsensitiveStringMap(properties));
  }

  /** An array, or the place of one that is to be made. */
  private record ArrayTable(StructType rows, CaseInsensitiveStringMap options)
      implements SupportsRead, SupportsWrite {

    @Override
    @SuppressWarnings("deprecation") // Spark makes columns of it
    public StructType schema() {
      return rows;
    }

    @Override
    public String name() {
      return "millrace-array " + ArrayPlace.of(options).path();
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(
          TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap given) {
      return () -> new ArrayScan(ArrayPlace.of(options), given.getInt("partitions", 0));
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
      return new Writing(info, false);
    }
  }

  /** What mode the write has: an array that is there is replaced only by {@code overwrite}. */
  private record Writing(LogicalWriteInfo info, boolean replacing) implements SupportsTruncate {

    @Override
    public WriteBuilder truncate() {
      return new Writing(info, true);
    }

    @Override
    public ArrayWrite build() {
      return ArrayWrite.of(info, replacing);
    }
  }
}
