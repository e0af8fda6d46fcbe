package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;

/** Thousands of ranks in one JVM. */
final class ManyRanksTest {

  @Test
  void whatARankCostsDoesNotGrowWithTheNumberOfRanks() throws Exception {
    ClusterOptions options = ClusterOptions.DEFAULT.withCacheBytesPerNode(1 << 20);
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(), new MemoryDisk("c"), List.of(new MemoryDisk("n")), options)) {
      long before = used();
      long[] within = new long[1];
      int ranks = 3000;
      cluster.run(
          ranks,
          rank -> {
            rank.barrier();
            if (rank.number() == 0) {
              within[0] = used();
            }
            rank.barrier();
          });
      assertThat((within[0] - before) / ranks).as("bytes per rank").isLessThan(60_000);
    }
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
