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
import org.millrace.files.FileTree;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Tls;

/**
 * A cluster as a program sees it: a coordinator and nodes, in this JVM over their own directory or
 * in other processes, and the ranks of the programs that {@link #run} starts here. Its files remain
 * and can be opened again, by any number of ranks.
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
   * A cluster of at least {@code nodes} nodes in {@code directory}, which is created if necessary.
   * An existing cluster with fewer nodes gets more, which new files use; one with more nodes keeps
   * them. Both are logged.
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
              "the cluster in %s has %s nodes and uses all of them, not %s as asked"
                  .formatted(directory, cluster.nodes(), nodes)));
    }
    return cluster;
  }

  /** The existing cluster in {@code directory}, with its number of nodes. */
  public static Cluster open(Path directory, ClusterOptions options) throws IOException {
    return new Cluster(RunningCluster.open(directory, options));
  }

  /**
   * A cluster of other processes.
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
   * one throws, the others get errors in calls that need it; then this throws the exception of the
   * first failing rank, with the others suppressed.
   */
  public void run(int ranks, Program program) throws IOException {
    cluster.run(ranks, program);
  }

  /**
   * The files of the cluster for a program that is no rank: paths, links, attributes, open files
   * and locks as POSIX has them. It is a session of its own and forms no group; closing it closes
   * what it has open.
   */
  public FileTree files() throws IOException {
    return cluster.files();
  }

  /** Changes the cache size of each node, while programs run. */
  public void setCacheBytesPerNode(long bytes) throws IOException {
    cluster.setCacheBytesPerNode(bytes);
  }

  /** Statistics of each node's cache and disk, as named counters. */
  public List<Map<String, Long>> report() throws IOException {
    return cluster.report();
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
