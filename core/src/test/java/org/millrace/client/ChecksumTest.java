package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.copy.Crc32cJoin;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;
import org.millrace.testing.Seeds;

/** Checksums that nodes make of their parts, against one of an array that has all bytes. */
final class ChecksumTest {

  private static final int REACH = 1 << 20;
  private static final int[] UNITS = {1000, 4096, 65536, 3 << 20};

  @TempDir private Path dir;

  private static void check(SharedFile file, byte[] all, Random random, String when)
      throws IOException {
    for (int i = 0; i < 40; i++) {
      int from = random.nextInt(REACH);
      int length = i == 0 ? REACH - from : random.nextInt(REACH - from);
      int right = Crc32cJoin.of(MemorySegment.ofArray(all).asSlice(from, length));
      assertThat(file.checksum(from, length)).as("%s, %d, %d", when, from, length).isEqualTo(right);
    }
    assertThat(file.checksum(5, 0)).isZero();
  }

  private static void write(SharedFile file, byte[] all, Random random) throws IOException {
    int from = random.nextInt(REACH / 2);
    byte[] bytes = new byte[1 + random.nextInt(REACH / 4)];
    random.nextBytes(bytes);
    System.arraycopy(bytes, 0, all, from, bytes.length);
    file.at(from).write(Memory.of(bytes));
  }

  private static void use(RunningCluster cluster, long seed, int strands) throws IOException {
    Random random = new Random(seed);
    for (int unit : UNITS) {
      byte[] all = new byte[REACH]; // zero where nothing is written, behind the end, too
      String when = Seeds.replay(seed) + " " + strands + " strands by " + unit;
      cluster.run(
          1,
          rank -> {
            OpenOptions how = OpenOptions.create().withStripeUnit(unit).withStrands(strands);
            try (SharedFile file = rank.open("f" + unit, how)) {
              check(file, all, random, when + ", empty");
              write(file, all, random);
              write(file, all, random);
              check(file, all, random, when + ", dirty");
              file.flush();
              write(file, all, random);
              check(file, all, random, when + ", durable and dirty");
            }
            try (SharedFile file = rank.open("f" + unit, OpenOptions.read())) {
              check(file, all, random, when + ", opened again");
            }
          });
    }
  }

  @Test
  void sumsOfPartsAreTheSumOfTheWhole() throws IOException {
    long seed = Seeds.of(1)[0];
    for (int strands = 1; strands <= 3; strands++) {
      try (RunningCluster cluster = RunningCluster.embedded(dir.resolve("c" + strands), strands)) {
        use(cluster, seed + strands, strands);
      }
    }
  }

  @Test
  void theyAreTheSameThroughServers() throws IOException {
    Path folder = dir.resolve("servers");
    ServerOptions how = ServerOptions.of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT);
    ClusterLocation there = new ClusterLocation.In(folder);
    try (Server _ = Server.coordinator(folder, 2, how, _ -> {});
        Server _ = Server.node(folder, 0, there, how, _ -> {});
        Server _ = Server.node(folder, 1, there, how, _ -> {});
        RunningCluster cluster =
            RunningCluster.connect(there, ClusterOptions.DEFAULT, TransportOptions.DEFAULT)) {
      use(cluster, Seeds.of(1)[0], 2);
    }
  }

  @Test
  void rangesThatAreNoneAreRefused() throws IOException {
    try (RunningCluster cluster = RunningCluster.embedded(dir.resolve("wrong"), 1)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.create())) {
              assertThatThrownBy(() -> file.checksum(-1, 1))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThatThrownBy(() -> file.checksum(5, -1))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThatThrownBy(() -> file.checksum(Long.MAX_VALUE, 2))
                  .isInstanceOf(IllegalArgumentException.class);
            }
          });
    }
  }
}
