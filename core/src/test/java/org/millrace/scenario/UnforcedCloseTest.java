package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.WatchedTopology;

/** Files whose close forces nothing. */
final class UnforcedCloseTest {

  private static final int RANKS = 2;

  private int flushesOf(OpenOptions options) throws IOException {
    AtomicInteger flushes = new AtomicInteger();
    WatchedTopology topology =
        WatchedTopology.of(
            Env.real(),
            (_, request) -> {
              if (request instanceof NodeRequest.Flush) {
                flushes.incrementAndGet();
              }
            });
    try (RunningCluster cluster =
        RunningCluster.over(
            topology,
            new MemoryDisk("c"),
            List.of(new MemoryDisk("n0"), new MemoryDisk("n1")),
            BadInputs.options(),
            Costs.DEFAULT)) {
      cluster.run(
          RANKS,
          rank -> {
            try (SharedFile file = rank.open("f", options)) {
              file.at(rank.number()).write(Memory.of(new byte[] {7}));
            }
            rank.barrier();
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              byte[] all = new byte[3];
              assertThat(file.at(0).read(Memory.of(all))).isEqualTo(2);
              assertThat(all).containsExactly(7, 7, 0);
            }
          });
    }
    return flushes.get();
  }

  @Test
  void closingForcesNothingIfItWasOpenedSoAndElseEverything() throws IOException {
    OpenOptions alone = OpenOptions.create();
    assertThat(flushesOf(alone)).isPositive();
    assertThat(flushesOf(alone.withUnforcedClose())).isZero();
  }
}
