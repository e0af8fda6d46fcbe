package org.millrace.sim.rot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.FileDisk;
import org.millrace.node.NodeOptions;

/** A cluster in a directory of this machine, in this JVM. */
final class DirectoryHost implements Host {

  private final Path directory;
  private final ClusterOptions options;
  private final NodeOptions each;
  private final List<Disk> disks = new ArrayList<>();

  DirectoryHost(Path directory, int nodes, ClusterOptions options, NodeOptions each)
      throws IOException {
    this.directory = directory;
    this.options = options;
    this.each = each;
    RunningCluster.embedded(directory, nodes, options).close();
    disks.add(FileDisk.open(directory.resolve("coordinator")));
    for (int i = 0; i < nodes; i++) {
      disks.add(FileDisk.open(directory.resolve("node-" + i)));
    }
  }

  @Override
  public void start(Body body) throws IOException {
    try (RunningCluster cluster = RunningCluster.open(directory, options, each)) {
      body.run(cluster);
    }
  }

  @Override
  public Image image() throws IOException {
    return Image.of(disks);
  }

  @Override
  public void put(Image image) throws IOException {
    image.restoreTo(disks);
  }

  @Override
  public void close() throws IOException {
    for (Disk disk : disks) {
      disk.close();
    }
  }
}
