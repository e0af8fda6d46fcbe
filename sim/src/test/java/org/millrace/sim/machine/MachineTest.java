package org.millrace.sim.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.Work;
import org.millrace.plan.collective.Costs;
import org.millrace.sim.disk.Hp97560;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.network.Network;
import org.millrace.sim.network.Topology;

/** The real code on a simulated machine. */
final class MachineTest {

  private static final Speed SPEED =
      new Speed(Map.of(Work.MESSAGE, 10_000_000L, Work.CACHE, 2_000_000L, Work.COPY, 20_000L));

  private record Course(long trace, long nanos, long messages) {}

  private static Course run(long seed) {
    SeededEnv env = SeededEnv.of(seed);
    Network network = new Network(new Topology.Torus(3, 3), 200e6, 20, 0);
    Machine machine = new Machine(env, network, SPEED, 4, 4);
    long[] took = new long[1];
    env.run(
        () -> {
          try {
            List<Disk> disks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
              disks.add(
                  new SimDisk(
                      machine.node(i),
                      new MemoryDisk("disk " + i),
                      new Hp97560(),
                      SimDisk.Placing.CONTIGUOUS));
            }
            try (RunningCluster cluster =
                RunningCluster.over(
                    machine,
                    new MemoryDisk("names"),
                    disks,
                    ClusterOptions.DEFAULT.withStripeUnitBytes(8192),
                    Costs.DEFAULT)) {
              cluster.run(4, MachineTest::program);
            }
            took[0] = env.nanoTime();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return new Course(env.traceHash(), took[0], network.messages());
  }

  private static void program(org.millrace.client.Rank rank) throws IOException {
    try (Arena arena = Arena.ofShared();
        SharedFile file = rank.open("f", OpenOptions.create())) {
      MemorySegment mine = arena.allocate(256 << 10);
      mine.fill((byte) (rank.number() + 1));
      file.at(rank.number() * mine.byteSize()).write(mine);
      file.flush();
      rank.barrier();
      MemorySegment other = arena.allocate(256 << 10);
      int neighbour = (rank.number() + 1) % rank.size();
      assertThat(file.at(neighbour * other.byteSize()).read(other)).isEqualTo(other.byteSize());
      assertThat(other.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 1000))
          .isEqualTo((byte) (neighbour + 1));
    }
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    Course first = run(7);
    assertThat(run(7)).isEqualTo(first);
    assertThat(run(8)).isNotEqualTo(first);
    assertThat(first.messages()).isPositive();
    assertThat(first.nanos()).isPositive();
  }
}
