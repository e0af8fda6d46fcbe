package org.millrace.heritage.testing;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.Cluster;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;

/** Runs programs of several ranks on a cluster in this JVM. Stateless. */
public final class Programs {

  private Programs() {}

  /** Runs {@code program} on a cluster in {@code directory}, which keeps its files. */
  public static void run(Path directory, int ranks, int nodes, Program program) throws IOException {
    try (Cluster cluster = Cluster.embedded(directory, nodes, ClusterOptions.DEFAULT)) {
      cluster.run(ranks, program);
    }
  }
}
