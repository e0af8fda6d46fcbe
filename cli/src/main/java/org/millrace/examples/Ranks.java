package org.millrace.examples;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.Cluster;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;

/** The ranks that run an example: all ranks, or those that are in this process. */
public interface Ranks {

  /** Runs the program as the ranks that are here, and waits for them. */
  void run(ClusterOptions options, Program program) throws IOException;

  /** All of them, on a cluster in this JVM. */
  static Ranks embedded(Path directory, int ranks, int nodes) {
    return (options, program) -> {
      try (Cluster cluster = Cluster.embedded(directory, nodes, options)) {
        cluster.run(ranks, program);
      }
    };
  }
}
