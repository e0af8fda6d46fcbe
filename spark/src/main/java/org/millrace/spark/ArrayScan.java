package org.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.millrace.Cluster;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.Striping;

/**
 * A read of a whole array. It is cut into blocks of the dimension that runs slowest in the file, so
 * that a block of a {@code .npy} file is one range of bytes; the hosts that have most of it are
 * where Spark should read it. Immutable, used by the driver's threads.
 */
final class ArrayScan implements Scan, Batch {

  private static final long PARTITION_BYTES = 8L << 20;
  private static final int MOST_HOSTS = 3;

  private final ArrayPlace place;
  private final int wanted;
  private final ArrayFacts facts;

  /**
   * Asks what the array is.
   *
   * @param wanted how many partitions; 0 for as many as its size suggests
   */
  ArrayScan(ArrayPlace place, int wanted) {
    this.place = place;
    this.wanted = wanted;
    try (Cluster cluster = place.connect()) {
      this.facts = ArrayFacts.of(place, cluster);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A block of the array.
   *
   * @param place of the array
   * @param facts about it
   * @param cut the dimension that is cut
   * @param from its first index
   * @param to one past its last
   * @param hosts that have most of it
   */
  record Block(ArrayPlace place, ArrayFacts facts, int cut, long from, long to, List<String> hosts)
      implements InputPartition, Serializable {

    @Override
    public String[] preferredLocations() {
      return hosts.toArray(String[]::new);
    }
  }

  @Override
  public StructType readSchema() {
    return facts.schema();
  }

  @Override
  public String description() {
    return "millrace-array " + place.path() + " " + facts.dims();
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    int cut = facts.columnMajor() ? facts.dims().size() - 1 : 0;
    long length = facts.dims().get(cut);
    long bytes = facts.shape().bytes(facts.values().bytes());
    long parts = wanted > 0 ? wanted : Math.ceilDiv(bytes, PARTITION_BYTES);
    long count = Math.clamp(parts, 1, Math.max(1, length));
    List<InputPartition> blocks = new ArrayList<>();
    try (Cluster cluster = place.connect();
        FileTree files = cluster.files()) {
      Places places = Places.of(files, place, facts);
      for (long i = 0; i < count && length > 0; i++) {
        long from = i * length / count;
        long to = (i + 1) * length / count;
        long each = bytes / length;
        blocks.add(new Block(place, facts, cut, from, to, places.hosts(from * each, to * each)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return blocks.toArray(InputPartition[]::new);
  }

  /** Where bytes of the array lie; nowhere in particular for Zarr. */
  private record Places(List<Striping> striping, long headerBytes, String here) {

    static Places of(FileTree files, ArrayPlace place, ArrayFacts facts) throws IOException {
      String here = InetAddress.getLocalHost().getHostName();
      return place.isNpy()
          ? new Places(
              List.of(files.striping(FilePath.of(place.path()))), facts.headerBytes(), here)
          : new Places(List.of(), 0, here);
    }

    List<String> hosts(long from, long to) {
      return striping.stream()
          .flatMap(one -> one.bytesByHost(headerBytes + from, to - from, here).keySet().stream())
          .limit(MOST_HOSTS)
          .toList();
    }
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return partition -> new BlockReader((Block) partition);
  }
}
