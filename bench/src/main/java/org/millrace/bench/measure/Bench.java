package org.millrace.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.client.ClusterOptions;
import org.millrace.env.Env;

/**
 * What a benchmark works with. Immutable.
 *
 * @param env time and threads
 * @param dir an empty folder, removed afterwards
 * @param sizes how much to move
 * @param progress told about each step
 */
public record Bench(Env env, Path dir, Sizes sizes, Runnable progress) {

  /** Nodes of every cluster here. */
  public static final int NODES = 4;

  /** A benchmark: a name to choose it by, and rows. */
  public interface Benchmark {

    /** The name to choose it by. */
    String name();

    /** How often it reports progress. */
    int steps();

    /** Measures, and returns its rows. */
    List<Row> run(Bench bench) throws IOException;
  }

  /** A cluster in a folder of that name. */
  public Cluster cluster(String name, ClusterOptions options) throws IOException {
    return Cluster.embedded(Files.createDirectories(dir.resolve(name)), NODES, options);
  }

  /**
   * Options with room for {@code bytes} of files, all of them dirty, without write-behind: what is
   * measured then is memory.
   */
  public static ClusterOptions cacheFor(long bytes) {
    return ClusterOptions.DEFAULT.withCacheBytesPerNode(Math.max(4L << 20, bytes * 5 / NODES));
  }

  /** A step is done. */
  public void step() {
    progress.run();
  }
}
