package org.millrace.cli.console;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.env.Env;

/** A cluster of servers that listen, though in this JVM. Used by one thread. */
final class LiveCluster implements AutoCloseable {

  private static final long MINUTE = 60_000_000_000L;

  private final Path directory;
  private final List<Server> servers = new ArrayList<>();
  private Server coordinator;

  LiveCluster(Path directory, int nodes) throws IOException {
    this.directory = directory;
    this.coordinator = startCoordinator(nodes);
    for (int i = 0; i < nodes; i++) {
      servers.add(
          Server.node(
              directory, i, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {}));
    }
  }

  private Server startCoordinator(int nodes) throws IOException {
    return Server.coordinator(directory, nodes, ServerOptions.DEFAULT, _ -> {});
  }

  ClusterView view() {
    return new ClusterView(
        Env.real(),
        () -> RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT),
        MINUTE);
  }

  Cluster connect() throws IOException {
    return Cluster.connect(directory.toString(), ClusterOptions.DEFAULT);
  }

  /** Writes a file of so many bytes. */
  void put(String path, int bytes, OpenOptions how) throws IOException {
    try (Cluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open(path, how)) {
              file.at(0).write(Memory.of(new byte[bytes]));
            }
          });
    }
  }

  void stopNode(int node) throws IOException {
    servers.get(node).close();
  }

  void restartCoordinator(int nodes) throws IOException {
    coordinator.close();
    coordinator = startCoordinator(nodes);
  }

  @Override
  public void close() throws IOException {
    for (Server server : servers) {
      server.close();
    }
    coordinator.close();
  }
}
