package org.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;
import org.millrace.Cluster;
import org.millrace.array.GlobalArray;
import org.millrace.array.zarr.SharedZarr;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;

/**
 * Where an array is. Immutable; sent to executors.
 *
 * @param cluster the cluster of daemons: the coordinator's address, or its directory
 * @param keys the folder with the keys for {@code tls:} addresses; empty for none
 * @param path of the array in it: a {@code .npy} file, or the directory of a Zarr array in one
 *     shard
 */
record ArrayPlace(String cluster, String keys, String path) implements Serializable {

  /** What is done with the open array. */
  interface Work<T> {
    T with(GlobalArray array) throws IOException;
  }

  static ArrayPlace of(CaseInsensitiveStringMap options) {
    return new ArrayPlace(
        required(options, "cluster"), options.getOrDefault("keys", ""), required(options, "path"));
  }

  static String required(CaseInsensitiveStringMap options, String name) {
    String value = options.get(name);
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException("millrace-array needs the option '" + name + "'");
    }
    return value;
  }

  boolean isNpy() {
    return path.endsWith(".npy");
  }

  /** Another array of the same cluster. */
  ArrayPlace withPath(String other) {
    return new ArrayPlace(cluster, keys, other);
  }

  Cluster connect() throws IOException {
    return keys.isEmpty()
        ? Cluster.connect(cluster, ClusterOptions.DEFAULT)
        : Cluster.connect(cluster, Path.of(keys), ClusterOptions.DEFAULT);
  }

  /** Does something with the array, as the only rank of a program. */
  <T> T read(Cluster connected, Work<T> work) throws IOException {
    AtomicReference<@Nullable T> result = new AtomicReference<>();
    connected.run(
        1,
        rank -> {
          try (GlobalArray array = open(rank)) {
            result.set(work.with(array));
          }
        });
    T done = result.get();
    if (done == null) {
      throw new IllegalStateException("reading " + path + " gave nothing");
    }
    return done;
  }

  private GlobalArray open(Rank rank) throws IOException {
    return isNpy()
        ? GlobalArray.open(rank, path, OpenOptions.read())
        : SharedZarr.open(rank, path, OpenOptions.read());
  }
}
