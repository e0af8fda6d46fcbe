package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;

/** What a rank knows of accesses that it has under way. */
final class UnfinishedAccessesTest {

  private static final int LARGE = 300_000;

  private static byte[] filled(int value) {
    byte[] bytes = new byte[LARGE];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void theEndIsBehindWhatIsAboutToBeWritten(Mode mode) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          1,
          rank -> {
            for (int i = 0; i < 10; i++) {
              try (SharedFile file = rank.open("f" + i, OpenOptions.create().withMode(mode))) {
                CompletableFuture<Long> write = file.writeAsync(Memory.of(filled(1)));
                assertThat(file.seekToEnd(0)).isEqualTo(LARGE);
                assertThat(file.endPosition()).isEqualTo(LARGE);
                assertThat(rank.await(write)).isEqualTo(LARGE);
              }
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void accessesToTheSameBytesHappenInOrderOfIssue(Mode mode) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.create().withMode(mode))) {
              List<CompletableFuture<Long>> all = new ArrayList<>();
              List<byte[]> reads = new ArrayList<>();
              for (int i = 1; i <= 10; i++) {
                file.seek(0);
                all.add(file.writeAsync(Memory.of(filled(i))));
                file.seek(0);
                byte[] read = new byte[LARGE];
                reads.add(read);
                all.add(file.readAsync(Memory.of(read)));
              }
              file.seek(0);
              byte[] last = new byte[LARGE];
              assertThat(file.read(Memory.of(last))).isEqualTo(LARGE);
              assertThat(last).containsOnly(10);
              for (CompletableFuture<Long> one : all) {
                assertThat(rank.await(one)).isEqualTo(LARGE);
              }
              for (int i = 1; i <= 10; i++) {
                assertThat(reads.get(i - 1)).containsOnly(i);
              }
            }
          });
    }
  }

  @Test
  void opensOfOneFileAppendBehindEachOther() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          2,
          rank -> {
            OpenOptions append = OpenOptions.create().withAppend();
            try (SharedFile one = rank.open("f", append.withMode(Mode.INDEPENDENT));
                SharedFile two = rank.open("f", append.withMode(Mode.SHARED))) {
              for (int i = 0; i < 100; i++) {
                (i % 2 == 0 ? one : two).write(Memory.of(new byte[7]));
              }
              rank.barrier();
              assertThat(one.size()).isEqualTo(2 * 100 * 7);
              rank.barrier();
            }
          });
    }
  }
}
