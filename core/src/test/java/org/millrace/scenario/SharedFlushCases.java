package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/** Ranks that close or flush a file together flush each strand once, and nothing is left out. */
abstract class SharedFlushCases {

  private static final Worlds.Build BUILD = new Worlds.Build(4, 100);
  private static final int BYTES = 1000;

  abstract Worlds worlds();

  /** A way to make a file durable. */
  private interface Act {
    void run(Rank rank, SharedFile file) throws IOException;
  }

  private static List<Long> flushes(World world) throws IOException {
    return world.report().stream()
        .map((Map<String, Long> node) -> node.getOrDefault("flush.count", 0L))
        .toList();
  }

  /** How many flushes each node sees in one act of all ranks, the last of which come late. */
  private void check(int ranks, Mode mode, Act act, List<Long> expected) throws Exception {
    worlds()
        .in(
            BUILD,
            world -> {
              List<Long> before = flushes(world);
              world.run(
                  ranks,
                  rank -> {
                    SharedFile file = rank.open("f", OpenOptions.create().withMode(mode));
                    int length = BYTES / ranks;
                    byte[] mine = new byte[length];
                    java.util.Arrays.fill(mine, (byte) (rank.number() + 1));
                    for (int late = 0; late < rank.number(); late++) {
                      file.size(); // a round trip to each strand
                    }
                    file.at((long) rank.number() * length).write(Memory.of(mine));
                    act.run(rank, file);
                    if (!file.isClosed()) {
                      assertThat(file.size()).isEqualTo((long) length * ranks);
                    }
                  });
              List<Long> after = flushes(world);
              List<Long> seen = new java.util.ArrayList<>();
              for (int node = 0; node < after.size(); node++) {
                seen.add(after.get(node) - before.get(node));
              }
              assertThat(seen).isEqualTo(expected);
              byte[] found = Bytes.ofFile(world, "f");
              assertThat(found).hasSize(BYTES / ranks * ranks);
              for (int i = 0; i < found.length; i++) {
                assertThat(found[i]).isEqualTo((byte) (i / (BYTES / ranks) + 1));
              }
            });
  }

  @Test
  void aFileThatIsClosedTogetherIsFlushedOnceByEachStrand() throws Exception {
    List<Long> once = List.of(1L, 1L, 1L, 1L);
    check(3, Mode.INDEPENDENT, (_, file) -> file.closeAll(), once);
    check(1, Mode.INDEPENDENT, (_, file) -> file.closeAll(), once);
    check(5, Mode.SHARED, (_, file) -> file.close(), once); // one rank has nothing to do
  }

  @Test
  void flushingTogetherFlushesEachStrandOnce() throws Exception {
    check(
        3,
        Mode.INDEPENDENT,
        (rank, file) -> {
          file.flushAll();
          rank.barrier();
          file.closeAll();
        },
        List.of(2L, 2L, 2L, 2L));
  }

  @Test
  void ranksThatDoNotMeetFlushEverythingEach() throws Exception {
    check(3, Mode.INDEPENDENT, (_, file) -> file.close(), List.of(3L, 3L, 3L, 3L));
  }
}
