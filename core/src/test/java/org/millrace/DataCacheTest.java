package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/**
 * Copies of remote blocks, at ranks that are peers: node r is in the process of rank r, here in
 * threads of one JVM over sockets.
 */
final class DataCacheTest {

  private static final int BLOCK = 64 << 10;
  private static final OpenOptions COPIED = OpenOptions.read().withDataCache();

  @TempDir private Path directory;

  /** Two ranks, two nodes, a file of {@code bytes} random bytes in stripe units of a block. */
  private void onTwoPeers(int bytes, Program program) throws Exception {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < 2; r++) {
      Launch launch = new Launch("test", "job", r, 2);
      Callable<Void> peer =
          () -> {
            try (ProcessRank launched =
                ProcessRank.asPeer(launch, directory, 2, ProcessRankOptions.DEFAULT)) {
              launched.run(
                  rank -> {
                    OpenOptions made = OpenOptions.create().withStripeUnit(BLOCK).withFirstNode(0);
                    try (SharedFile file = rank.open("f", made)) {
                      if (rank.number() == 0) {
                        file.at(0).write(Memory.of(content(bytes)));
                      }
                    }
                    rank.barrier();
                    program.run(rank);
                    rank.barrier();
                  });
            }
            return null;
          };
      FutureTask<Void> task = new FutureTask<>(peer);
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }

  @Test
  void onlyRemoteBlocksAreCopiedAndEachIsFetchedOnce() throws Exception {
    int bytes = 6 * BLOCK + 100;
    onTwoPeers(
        bytes,
        rank -> {
          rank.setDataCacheBytes(8L * BLOCK);
          try (SharedFile file = rank.open("f", COPIED)) {
            byte[] all = new byte[bytes];
            for (int round = 0; round < 3; round++) {
              Arrays.fill(all, (byte) 0);
              assertThat(file.at(0).read(Memory.of(all))).isEqualTo(bytes);
              assertThat(all).isEqualTo(content(bytes));
            }
            // blocks 0, 2, 4, 6 are node 0's, the last of them with 100 bytes
            int remote = rank.number() == 0 ? 3 : 4;
            assertThat(rank.dataCache().misses()).isEqualTo(remote);
            assertThat(rank.dataCache().hits()).isEqualTo(2L * remote);
            assertThat(rank.dataCache().bytes())
                .isEqualTo(rank.number() == 0 ? 3L * BLOCK : 3L * BLOCK + 100);
          }
          assertThat(rank.dataCache().bytes()).as("dropped at close").isZero();
        });
  }

  @Test
  void anyReadIsRightAndTheLimitIsKept() throws Exception {
    int bytes = 9 * BLOCK + 17;
    onTwoPeers(
        bytes,
        rank -> {
          byte[] content = content(bytes);
          Random random = new Random(rank.number());
          rank.setDataCacheBytes(2L * BLOCK);
          try (SharedFile file = rank.open("f", COPIED)) {
            for (int i = 0; i < 300; i++) {
              int from = random.nextInt(bytes + BLOCK);
              byte[] got = new byte[random.nextInt(3 * BLOCK)];
              int there = Math.clamp(bytes - from, 0, got.length);
              assertThat(file.at(from).read(Memory.of(got))).isEqualTo(there);
              int start = Math.min(from, bytes);
              assertThat(Arrays.equals(got, 0, there, content, start, start + there)).isTrue();
              assertThat(rank.dataCache().bytes()).isLessThanOrEqualTo(2L * BLOCK);
            }
            rank.setDataCacheBytes(BLOCK);
            assertThat(rank.dataCache().bytes()).isLessThanOrEqualTo(BLOCK);
            rank.setDataCacheBytes(0);
            assertThat(rank.dataCache().bytes()).isZero();
            long misses = rank.dataCache().misses();
            assertThat(file.at(0).read(Memory.of(new byte[BLOCK * 2]))).isEqualTo(BLOCK * 2);
            assertThat(rank.dataCache().misses()).as("a cache of 0 is none").isEqualTo(misses);
          }
        });
  }

  @Test
  void theLeastRecentlyUsedCopyGoesFirst() throws Exception {
    onTwoPeers(
        8 * BLOCK,
        rank -> {
          rank.setDataCacheBytes(2L * BLOCK);
          long other = 1L - rank.number(); // the first block of the other's node
          try (SharedFile file = rank.open("f", COPIED)) {
            byte[] one = new byte[1];
            for (long block : new long[] {0, 2, 0, 4, 0, 2}) {
              file.at((block + other) * BLOCK).read(Memory.of(one));
            }
            // 0 stays in use; 4 pushes 2 out, and 2 has to be fetched again
            assertThat(rank.dataCache().misses()).isEqualTo(4);
            assertThat(rank.dataCache().hits()).isEqualTo(2);
          }
        });
  }

  @Test
  void whatOthersWriteMeanwhileIsSeenAfterOpeningAgainAndByDefaultAtOnce() throws Exception {
    onTwoPeers(
        2 * BLOCK,
        rank -> {
          rank.setDataCacheBytes(4L * BLOCK);
          long remote = (1L - rank.number()) * BLOCK;
          byte[] first = new byte[1];
          byte[] again = new byte[1];
          try (SharedFile copied = rank.open("f", COPIED);
              SharedFile plain = rank.open("f", OpenOptions.read())) {
            copied.at(remote).read(Memory.of(first));
            rank.barrier();
            try (SharedFile writer = rank.open("f", OpenOptions.write())) {
              writer.at(remote).write(Memory.of(new byte[] {(byte) ~first[0]}));
            }
            copied.at(remote).read(Memory.of(again));
            assertThat(again[0]).as("what it saw first").isEqualTo(first[0]);
            plain.at(remote).read(Memory.of(again));
            assertThat(again[0]).isEqualTo((byte) ~first[0]);
          }
          try (SharedFile copied = rank.open("f", COPIED)) {
            copied.at(remote).read(Memory.of(again));
            assertThat(again[0]).isEqualTo((byte) ~first[0]);
          }
        });
  }

  @Test
  void filesThatAreWrittenHaveNoCopies() throws Exception {
    try (Cluster cluster = Cluster.embedded(directory, 1)) {
      cluster.run(
          2,
          rank -> {
            assertThatThrownBy(() -> rank.open("f", OpenOptions.create().withDataCache()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reading alone");
            assertThatThrownBy(() -> rank.setDataCacheBytes(-1))
                .isInstanceOf(IllegalArgumentException.class);
          });
    }
  }

  @Test
  void aRankOfPeersSetsEveryNodesCache() throws Exception {
    onTwoPeers(
        40 * BLOCK,
        rank -> {
          rank.setCacheBytes(3L * BLOCK);
          assertThat(rank.report())
              .hasSize(2)
              .allSatisfy(node -> assertThat(node).containsEntry("limitBytes", 3L * BLOCK));
          rank.barrier();
          assertThatThrownBy(() -> rank.setCacheBytes(BLOCK / 2)).hasMessageContaining("bytes is");
          assertThatThrownBy(() -> rank.setCacheBytes((4L + rank.number()) * BLOCK))
              .hasMessageContaining("setCacheBytes");
        });
  }
}
