package org.millrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.cluster.Warnings;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Tls;

/**
 * A Millrace as a program sees it: a coordinator and nodes, in this JVM over a directory of their
 * own or in other processes, and the ranks of the programs that {@link #run} starts here. What it
 * stores stays and can be opened again, by any number of ranks.
 *
 * <p>Safe for use by several threads; several programs may run at once. Closing a cluster in this
 * JVM makes everything durable and ends nodes and coordinator; closing one that is elsewhere ends
 * the connections to it. It is idempotent.
 */
public final class Cluster implements AutoCloseable {

  private final RunningCluster cluster;

  private Cluster(RunningCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * A cluster of at least {@code nodes} nodes in {@code directory}, which is made if there is none.
   * A cluster that is there and has fewer nodes gets more for the files it will make; one that has
   * more keeps them. The log says so in both cases.
   */
  public static Cluster embedded(Path directory, int nodes) throws IOException {
    return embedded(directory, nodes, ClusterOptions.DEFAULT);
  }

  /** As {@link #embedded(Path, int)}, with options. */
  public static Cluster embedded(Path directory, int nodes, ClusterOptions options)
      throws IOException {
    Cluster cluster = new Cluster(RunningCluster.embedded(directory, nodes, options));
    if (cluster.nodes() > nodes) {
      Warnings.log(
          List.of(
              "the cluster in %s has %d nodes and uses all of them, not %d as asked"
                  .formatted(directory, cluster.nodes(), nodes)));
    }
    return cluster;
  }

  /** The cluster that is in {@code directory}, with as many nodes as it has. */
  public static Cluster open(Path directory, ClusterOptions options) throws IOException {
    return new Cluster(RunningCluster.open(directory, options));
  }

  /**
   * The cluster whose processes run elsewhere.
   *
   * @param location the coordinator's address: {@code unix:/path}, {@code tcp:host:port} or {@code
   *     tls:host:port}; or the cluster's directory, in which the address is found
   */
  public static Cluster connect(String location, ClusterOptions options) throws IOException {
    return new Cluster(RunningCluster.connect(location, options));
  }

  /**
   * As {@link #connect(String, ClusterOptions)}, for {@code tls:} addresses.
   *
   * @param keys the folder with the keys, as {@code millrace keys} makes it
   */
  public static Cluster connect(String location, Path keys, ClusterOptions options)
      throws IOException {
    TransportOptions plain = TransportOptions.DEFAULT;
    TransportOptions transport = plain.withSecurity(plain.security().withTls(Tls.load(keys)));
    return new Cluster(RunningCluster.connect(ClusterLocation.parse(location), options, transport));
  }

  /** How many nodes it has. */
  public int nodes() {
    return cluster.nodes();
  }

  /**
   * Runs {@code program} as {@code ranks} ranks, each on a virtual thread, and waits for all. If
   * one throws, the others get errors where they need it; then this throws what the first failing
   * rank threw, with the others' suppressed.
   */
  public void run(int ranks, Program program) throws IOException {
    cluster.run(ranks, program);
  }

  /** Changes how much memory each node may use for its cache, while everything runs. */
  public void setCacheBytesPerNode(long bytes) throws IOException {
    cluster.setCacheBytesPerNode(bytes);
  }

  /** What each node's cache and disk have done, by name of the counter. */
  public List<Map<String, Long>> report() throws IOException {
    return cluster.report();
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
