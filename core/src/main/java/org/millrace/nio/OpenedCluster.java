package org.millrace.nio;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.files.FileTree;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Tls;

/**
 * A cluster that a file system has opened for itself, and the session in it. Immutable.
 *
 * @param cluster closed with the file system
 * @param tree its files
 */
record OpenedCluster(RunningCluster cluster, FileTree tree) {

  static OpenedCluster open(String location, Map<String, ?> environment) throws IOException {
    RunningCluster cluster = cluster(ClusterLocation.parse(location), environment);
    try {
      return new OpenedCluster(cluster, cluster.files());
    } catch (IOException | RuntimeException e) {
      try {
        cluster.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static RunningCluster cluster(ClusterLocation location, Map<String, ?> environment)
      throws IOException {
    ClusterOptions options = ClusterOptions.DEFAULT;
    if (location instanceof ClusterLocation.In in && !in.hasDaemons()) {
      Object nodes = environment.get("nodes");
      return nodes == null
          ? RunningCluster.open(in.directory(), options)
          : RunningCluster.embedded(in.directory(), number(nodes), options);
    }
    return RunningCluster.connect(location, options, transport(environment.get("keys")));
  }

  private static int number(Object nodes) {
    try {
      return Integer.parseInt(nodes.toString());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("nodes: '" + nodes + "' is not a number", e);
    }
  }

  private static TransportOptions transport(@Nullable Object keys) throws IOException {
    TransportOptions plain = TransportOptions.DEFAULT;
    return keys == null
        ? plain
        : plain.withSecurity(plain.security().withTls(Tls.load(Path.of(keys.toString()))));
  }

  void close() throws IOException {
    cluster.close();
  }
}
