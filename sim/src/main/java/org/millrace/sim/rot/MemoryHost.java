package org.millrace.sim.rot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;

/**
 * A cluster in simulated time over disks in memory, which can lose their power: an image of them
 * holds what was forced, and any part of what was not.
 */
final class MemoryHost implements Host {

  private final int nodes;
  private final ClusterOptions options;
  private final NodeOptions each;
  private long seed;
  private List<MemoryDisk> disks = new ArrayList<>();

  MemoryHost(long seed, int nodes, ClusterOptions options, NodeOptions each) {
    this.seed = seed;
    this.nodes = nodes;
    this.options = options;
    this.each = each;
    disks = fresh();
  }

  private List<MemoryDisk> fresh() {
    List<MemoryDisk> made = new ArrayList<>();
    for (int i = 0; i <= nodes; i++) {
      made.add(new MemoryDisk(i == 0 ? "coordinator" : "node " + (i - 1)));
    }
    return made;
  }

  @Override
  public void start(Body body) throws IOException {
    SeededEnv env = SeededEnv.of(seed++);
    List<Disk> parts = List.copyOf(disks);
    try {
      env.run(
          () -> {
            try (RunningCluster cluster =
                RunningCluster.over(
                    ClusterTopology.onePlace(env),
                    parts.getFirst(),
                    parts.subList(1, parts.size()),
                    options,
                    each,
                    Costs.DEFAULT)) {
              body.run(cluster);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** As after a loss of power at this moment. */
  @Override
  public Image image() throws IOException {
    List<MemoryDisk> after = new ArrayList<>();
    for (MemoryDisk disk : disks) {
      after.add(disk.crash(seed++));
    }
    return Image.of(after);
  }

  @Override
  public void put(Image image) throws IOException {
    disks = fresh();
    image.restoreTo(disks);
  }

  @Override
  public void close() {
    disks.clear();
  }
}
