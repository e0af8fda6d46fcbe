package org.millrace.heritage.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.NoSuchNameException;
import org.millrace.plan.collective.Costs;
import org.millrace.testing.Seeds;

/** The same programs run in all worlds, and the seeded one finds what needs a late rank. */
@InOneJvm("it makes the worlds itself")
final class WorldsTest {

  @TempDir private Path directory;

  private void run(String world, int ranks, Programs.Watching program) throws IOException {
    var place = new World.Place(directory, ranks, 2, ClusterOptions.DEFAULT);
    World.of(world).watch(place, program);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jvm", "sockets", "seeded"})
  void aLaterProgramFindsTheFilesOfAnEarlierOne(String name) throws IOException {
    World world = World.of(name);
    world.run(
        new World.Place(directory, 3, 2, ClusterOptions.DEFAULT),
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            file.at(rank.number()).write(Memory.of(new byte[] {(byte) rank.number()}));
          }
        });
    world.watch(
        new World.Place(directory, 2, 3, ClusterOptions.DEFAULT),
        (rank, cluster) -> {
          assertThat(cluster.nodes()).isEqualTo(3);
          try (SharedFile file = rank.open("f", OpenOptions.read())) {
            byte[] found = new byte[4];
            assertThat(file.at(0).read(Memory.of(found))).isEqualTo(3);
            assertThat(found).startsWith(0, 1, 2);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"jvm", "sockets", "seeded"})
  void whatARankThrowsComesOutWithItsType(String world) {
    assertThatThrownBy(() -> run(world, 3, (rank, _) -> rank.open("none", OpenOptions.read())))
        .isInstanceOf(NoSuchNameException.class);
    assertThatThrownBy(
            () ->
                run(
                    world,
                    3,
                    (rank, _) -> {
                      if (rank.number() == 1) {
                        throw new IOException("no more");
                      }
                      rank.barrier();
                    }))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("no more");
  }

  @Test
  void aFailureUnderASeedSaysWhichSeed() {
    assertThatThrownBy(() -> run("seeded", 1, (_, _) -> assertThat(1).isEqualTo(2)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("world seeded, " + Seeds.replay(Seeds.of(1)[0]));
  }

  @Test
  void aFailureUnderSomeSeedsIsNeverTakenForOneThatWasMeant() {
    int[] runs = new int[1];
    assertThatThrownBy(
            () ->
                run(
                    "seeded",
                    1,
                    (_, _) -> {
                      if (runs[0]++ == 0) {
                        throw new IOException("the first time");
                      }
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the first time");
  }

  private static void writeAndReadElsewhere(Rank rank, boolean waits) throws IOException {
    try (SharedFile file = rank.open("f", OpenOptions.create())) {
      for (int i = 0; i < 50; i++) {
        byte value = (byte) (i + 1);
        CompletableFuture<Long> write = CompletableFuture.completedFuture(1L);
        if (rank.number() == 0) {
          write = file.at(i).writeAsync(Memory.of(new byte[] {value}));
        }
        if (waits) {
          write.join();
        }
        rank.barrier();
        byte[] found = new byte[1];
        file.at(i).read(Memory.of(found));
        assertThat(found).containsExactly(value);
        write.join();
      }
    }
  }

  @Test
  void aWriteThatNobodyAwaitsIsStillUnderWayAfterTheNextCall() throws IOException {
    run("seeded", 2, (rank, _) -> writeAndReadElsewhere(rank, true));
    assertThatThrownBy(() -> run("seeded", 2, (rank, _) -> writeAndReadElsewhere(rank, false)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("world seeded");
  }

  /** How much virtual time some barriers and writes take. */
  private static long nanos(SeededEnv env, ClusterTopology topology) {
    long begun = env.nanoTime();
    env.run(
        () -> {
          try (RunningCluster cluster =
              RunningCluster.over(
                  topology,
                  new MemoryDisk("coordinator"),
                  List.of(new MemoryDisk("node")),
                  ClusterOptions.DEFAULT,
                  Costs.DEFAULT)) {
            cluster.run(
                3,
                rank -> {
                  for (int i = 0; i < 30; i++) {
                    rank.barrier();
                  }
                });
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    return env.nanoTime() - begun;
  }

  @Test
  void aRankIsLateNowAndThen() {
    for (long seed : Seeds.of(4)) {
      SeededEnv env = SeededEnv.of(seed);
      assertThat(nanos(env, new LateTopology(env, 3, seed % 2 != 0)))
          .as(Seeds.replay(seed))
          .isGreaterThanOrEqualTo(300_000_000L);
      SeededEnv other = SeededEnv.of(seed);
      assertThat(nanos(other, ClusterTopology.onePlace(other)))
          .as("the control, %s", Seeds.replay(seed))
          .isLessThan(300_000_000L);
    }
  }

  @Test
  void aWorldThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> World.of("moon")).hasMessageContaining("jvm, sockets or seeded");
  }
}
