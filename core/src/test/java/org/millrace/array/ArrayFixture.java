package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;

/** Clusters over disks in memory, and whole files. Stateless. */
public final class ArrayFixture {

  private ArrayFixture() {}

  /** Stripe units that no element size divides: sections cross strands everywhere. */
  public static RunningCluster cluster(int nodes) throws IOException {
    return cluster(nodes, 1000);
  }

  public static RunningCluster cluster(int nodes, long stripeUnitBytes) throws IOException {
    List<Disk> disks = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      disks.add(new MemoryDisk("node " + n));
    }
    return RunningCluster.over(
        Env.real(),
        new MemoryDisk("coordinator"),
        disks,
        ClusterOptions.DEFAULT.withCacheBytesPerNode(8 << 20).withStripeUnitBytes(stripeUnitBytes));
  }

  /** All bytes of a file, read by a rank alone. */
  public static byte[] file(Rank rank, String path) throws IOException {
    try (SharedFile file = rank.alone().open(path, OpenOptions.read())) {
      byte[] all = new byte[Math.toIntExact(file.size())];
      assertThat(file.at(0).read(Memory.of(all))).isEqualTo(all.length);
      return all;
    }
  }

  public static byte[] file(RunningCluster cluster, String path) throws IOException {
    byte[][] found = new byte[1][];
    cluster.run(1, rank -> found[0] = file(rank, path));
    return found[0];
  }

  public static void store(RunningCluster cluster, String path, byte[] bytes) throws IOException {
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(path, OpenOptions.create().withTruncate())) {
            file.at(0).write(Memory.of(bytes));
          }
        });
  }

  /** The elements behind the header. */
  static byte[] elements(Rank rank, String path) throws IOException {
    byte[] all = file(rank, path);
    return Arrays.copyOfRange(all, NpyHeader.WRITTEN_BYTES, all.length);
  }

  static Local ints(int[] values, long... dims) {
    return Local.of(values, Shape.rowMajor(dims));
  }

  static Section whole(GlobalArray array) {
    return Section.whole(array.shape());
  }
}
