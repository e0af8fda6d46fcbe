package org.millrace.sim.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.Work;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.sim.disk.FlatDisk;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.network.Network;

/** What the real code of a node says that it does, kind by kind. */
final class ChargesTest {

  private static final int BLOCK = 64 << 10;
  private static final int BYTES = 4 * BLOCK;

  /** Long enough to be paid for at once. */
  private static final long MICROS = 30;

  private long transfers;

  /** How much of one kind of work the node does for a write, a read and a disk-directed read. */
  private long units(Work work) {
    SeededEnv env = SeededEnv.of(5);
    Speed speed = new Speed(Map.of(work, MICROS * 1_000_000));
    Machine machine = new Machine(env, Network.lan(3, 10), speed, 1, 1);
    Host node = machine.node(0);
    env.run(
        () -> {
          try (SimDisk disk =
                  new SimDisk(
                      node, new MemoryDisk("d"), FlatDisk.ssd(), SimDisk.Placing.CONTIGUOUS);
              RunningCluster cluster =
                  RunningCluster.over(
                      machine,
                      new MemoryDisk("names"),
                      List.of(disk),
                      ClusterOptions.DEFAULT.withStripeUnitBytes(BLOCK),
                      Costs.DEFAULT)) {
            cluster.run(1, rank -> program(rank, node));
            transfers = disk.report().transfers();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return node.processor().busyNanos() / (MICROS * 1_000);
  }

  private static void program(Rank rank, Host node) throws IOException {
    try (Arena arena = Arena.ofShared();
        SharedFile file = rank.open("f", OpenOptions.create())) {
      MemorySegment memory = arena.allocate(BYTES);
      node.forget();
      file.at(0).write(memory);
      file.flush();
      file.at(0).read(memory);
      file.setHints(Hints.DEFAULT.withStrategy(Strategy.DISK_DIRECTED));
      file.at(0).all().read(memory);
    }
  }

  @Test
  void everyByteIsCopiedInAsideAndTwiceOut() {
    assertThat(units(Work.COPY)).isEqualTo(4L * BYTES);
  }

  @Test
  void everyByteThatIsWrittenHasItsChecksum() {
    assertThat(units(Work.CHECKSUM)).isEqualTo(BYTES);
  }

  @Test
  void everyTransferOfTheDiskIsAskedFor() {
    assertThat(units(Work.TRANSFER)).isEqualTo(transfers).isPositive();
  }

  @Test
  void everyBlockIsLookedUpForEachOfThreeAccesses() {
    assertThat(units(Work.CACHE)).isEqualTo(3 * 4);
  }

  @Test
  void theFirstTwoAccessesAreOnePieceAndTheDirectedOneIsOneForEachBlock() {
    assertThat(units(Work.PIECE)).isEqualTo(1 + 1 + 4);
  }

  @Test
  void onlyTheDirectedAccessIsPlannedBlockByBlock() {
    assertThat(units(Work.PLAN)).isEqualTo(4 + 4); // each is scheduled, and has one piece
  }

  @Test
  void messagesAndSwitchesAreCharged() {
    assertThat(units(Work.MESSAGE)).isGreaterThanOrEqualTo(2 * 4); // 3 accesses, a flush, answers
    assertThat(units(Work.SWITCH)).isGreaterThanOrEqualTo(4);
  }
}
