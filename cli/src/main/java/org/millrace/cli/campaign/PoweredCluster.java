package org.millrace.cli.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A cluster of processes whose disks can lose their power: one file system for the coordinator, and
 * one for each node. Used by one thread. Closing kills the processes and removes the disks.
 */
final class PoweredCluster implements AutoCloseable {

  /** All disks, instead of one node's. */
  static final int ALL = -1;

  // constant after construction
  private final ClusterProcesses processes;
  private final List<LoopDisk> disks = new ArrayList<>(); // the coordinator's, then the nodes'

  private PoweredCluster(ClusterProcesses processes) {
    this.processes = processes;
  }

  /** Makes the disks, of kinds by chance, and starts the cluster. */
  static PoweredCluster make(
      Path place, int nodes, Map<String, String> environment, RandomGenerator random)
      throws IOException, InterruptedException {
    Path directory = place.resolve("cluster");
    PoweredCluster made =
        new PoweredCluster(new ClusterProcesses(directory, nodes, List.of(), environment));
    try {
      for (int d = 0; d <= nodes; d++) {
        LoopDisk.Kind kind = random.nextBoolean() ? LoopDisk.Kind.EXT4 : LoopDisk.Kind.XFS;
        Path at = d == 0 ? directory : directory.resolve("node-" + (d - 1));
        made.disks.add(LoopDisk.make(kind, place.resolve("disk-" + d + ".img"), at));
      }
      Shell.run("sync"); // the folders of the nodes lie on the first disk
      made.processes.up();
      return made;
    } catch (IOException | InterruptedException | RuntimeException e) {
      made.closeAfter(e);
      throw e;
    }
  }

  ClusterProcesses processes() {
    return processes;
  }

  /** Takes the power of one node's disk, or of all, and kills the processes on them. */
  void cut(int victim) throws IOException, InterruptedException {
    List<Long> victims = victim == ALL ? processes.all() : processes.node(victim);
    Shell.signal("STOP", victims); // or they would see errors that a power failure does not show
    for (LoopDisk disk : hit(victim)) {
      disk.cut();
    }
    ClusterProcesses.kill(victims);
  }

  /** Gives the power back. */
  void restore(int victim) throws IOException, InterruptedException {
    for (LoopDisk disk : hit(victim).reversed()) {
      disk.unmount();
    }
    for (LoopDisk disk : hit(victim)) {
      disk.mount();
    }
  }

  private List<LoopDisk> hit(int victim) {
    return victim == ALL ? disks : List.of(disks.get(victim + 1));
  }

  private void closeAfter(Exception failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      ClusterProcesses.kill(processes.all());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    IOException failure = null;
    for (LoopDisk disk : disks.reversed()) {
      try {
        disk.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    remove(processes.directory());
  }

  /** Removes a folder with everything in it. */
  static void remove(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> left = Files.walk(folder)) {
      for (Path one : left.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }
}
