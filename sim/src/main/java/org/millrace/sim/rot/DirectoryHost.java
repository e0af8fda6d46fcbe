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

  private static final int MOST_TRIES = 1000;

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

  /**
   * Files are read one after the other while nodes may still be writing blocks back: what is read
   * twice the same was there at one moment, as a kill at that moment would have left it.
   */
  @Override
  public Image image() throws IOException {
    Image last = Image.of(disks);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      Image now = Image.of(disks);
      if (now.isSame(last)) {
        return now;
      }
      last = now;
    }
    throw new IOException("the files in " + directory + " do not come to rest");
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
