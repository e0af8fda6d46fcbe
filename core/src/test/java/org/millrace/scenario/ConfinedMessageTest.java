package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;

/** Messages whose memory only the sender may touch. */
final class ConfinedMessageTest {

  @Test
  void aMessageFromAConfinedArenaArrivesHoweverLargeItIs() throws Exception {
    ClusterOptions options =
        BadInputs.options().withLimits(new Limits(3_600_000_000_000L, 3_600_000_000_000L, 64, 16));
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(), new MemoryDisk("c"), List.of((Disk) new MemoryDisk("n")), options)) {
      cluster.run(
          2,
          rank -> {
            if (rank.number() == 0) {
              try (Arena arena = Arena.ofConfined()) {
                rank.send(1, 1, arena.allocate(100).fill((byte) 5));
              }
            } else {
              assertThat(rank.receive(0, 1).bytes()).hasSize(100).containsOnly(5);
            }
          });
    }
  }
}
