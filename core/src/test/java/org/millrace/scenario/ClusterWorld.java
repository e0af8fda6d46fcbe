package org.millrace.scenario;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Program;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.StoredBytes;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.protocol.CoordinatorReply;

/** A world that is a cluster in this JVM. */
final class ClusterWorld implements World, AutoCloseable {

  private static final long SECOND = 1_000_000_000L;

  /** Makes the cluster over what is stored. */
  interface Start {
    RunningCluster cluster() throws IOException;
  }

  /** Says how many bytes of strands each node stores while no cluster runs. */
  interface Inspection {
    List<Long> strandSizes() throws IOException;
  }

  // constant after construction
  private final Start start;
  private final Inspection inspection;
  private final Env env;

  private RunningCluster cluster;

  ClusterWorld(Start start, Inspection inspection) throws IOException {
    this(Env.real(), start, inspection);
  }

  private ClusterWorld(Env env, Start start, Inspection inspection) throws IOException {
    this.env = env;
    this.start = start;
    this.inspection = inspection;
    this.cluster = start.cluster();
  }

  /** A cluster over disks in memory. */
  static ClusterWorld inMemory(Env env, Worlds.Build build) throws IOException {
    return inMemory(env, build, options(build));
  }

  /** A cluster over disks in memory. */
  static ClusterWorld inMemory(Env env, Worlds.Build build, ClusterOptions options)
      throws IOException {
    Disk coordinator = new MemoryDisk("coordinator");
    List<Disk> nodes = new ArrayList<>();
    for (int n = 0; n < build.nodes(); n++) {
      nodes.add(new MemoryDisk("node " + n));
    }
    return new ClusterWorld(
        env,
        () -> RunningCluster.over(env, coordinator, nodes, options),
        () -> {
          List<Long> sizes = new ArrayList<>();
          for (Disk node : nodes) {
            sizes.add(StoredBytes.of(node));
          }
          return sizes;
        });
  }

  /** Small caches, so that blocks come and go; deadlines that turn a hang into a failure. */
  static ClusterOptions options(Worlds.Build build) {
    return ClusterOptions.DEFAULT
        .withCacheBytesPerNode(4 << 20)
        .withStripeUnitBytes(build.stripeUnitBytes())
        .withLimits(Limits.DEFAULT.withMeetingNanos(60 * SECOND));
  }

  @Override
  public int nodes() {
    return cluster.nodes();
  }

  @Override
  public void run(int ranks, Program program) throws IOException {
    cluster.run(ranks, program);
  }

  @Override
  public void reopen() throws IOException {
    cluster.close();
    cluster = start.cluster();
  }

  @Override
  public void pause() {
    if (!(env instanceof SeededEnv)) {
      Thread.yield();
      return;
    }
    try {
      env.sleep(SECOND / 1000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public List<CoordinatorReply.Wait> waits() throws IOException {
    return cluster.waits();
  }

  @Override
  public List<Map<String, Long>> report() throws IOException {
    return cluster.report();
  }

  @Override
  public List<Long> strandSizes() throws IOException {
    cluster.close();
    List<Long> sizes = inspection.strandSizes();
    cluster = start.cluster();
    return sizes;
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
