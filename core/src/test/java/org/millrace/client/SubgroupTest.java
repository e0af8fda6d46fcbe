package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.env.SeededEnv;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;

/** Groups of some ranks, which the others need not know of; and files that one rank extends. */
final class SubgroupTest {

  @TempDir private Path directory;

  private void run(int ranks, ClusterOptions options, Program program) throws IOException {
    try (Cluster cluster = Cluster.embedded(directory, 2, options)) {
      cluster.run(ranks, program);
    }
  }

  @Test
  void onlyItsMembersCallAndTheyAreNumberedAsTheySay() throws IOException {
    run(
        5,
        ClusterOptions.DEFAULT,
        rank -> {
          if (rank.number() == 2) {
            rank.barrier();
            return;
          }
          int number = rank.number() < 2 ? 1 - rank.number() : rank.number() - 3;
          String name = rank.number() < 2 ? "low" : "high";
          for (int again = 0; again < 3; again++) { // the same name may be used again
            Rank pair = rank.subgroup(name, 2, number);
            assertThat(pair.number()).isEqualTo(number);
            assertThat(pair.size()).isEqualTo(2);
            List<Long> there = pair.allGather(rank.number());
            assertThat(there).isEqualTo(rank.number() < 2 ? List.of(1L, 0L) : List.of(3L, 4L));
            pair.send(1 - number, 1, new byte[] {(byte) rank.number()});
            assertThat(pair.receive(1 - number, 1).bytes())
                .containsExactly(there.get(1 - number).byteValue());
            pair.leave("");
          }
          rank.barrier();
        });
  }

  @Test
  void aRankThatStaysAwayIsMissedInTime() {
    Limits brief = Limits.DEFAULT.withMeetingNanos(300_000_000L);
    GroupOperationsTest.runTimed(
        SeededEnv.of(1), // in virtual time: a slow machine is not late
        2,
        ClusterOptions.DEFAULT.withLimits(brief),
        rank -> {
          if (rank.number() == 0) {
            assertThatThrownBy(() -> rank.subgroup("pair", 2, 0))
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank 1");
          }
        });
  }

  @Test
  void aRankThatComesAfterAnotherHasEndedDoesNotWaitForIt() {
    GroupOperationsTest.runTimed(
        SeededEnv.of(1),
        3,
        ClusterOptions.DEFAULT,
        rank -> {
          if (rank.number() == 1) {
            return;
          }
          if (rank.number() == 2) {
            rank.receive(0, 1); // until rank 1 is gone
          }
          assertThatThrownBy(() -> rank.subgroup("all", 3, rank.number()))
              .isInstanceOf(RankFailedException.class)
              .hasMessageContaining("cannot come");
          if (rank.number() == 0) {
            rank.send(2, 1, new byte[0]);
          }
        });
  }

  @Test
  void ranksThatDisagreeOnTheNumberAreAllRefused() throws IOException {
    run(
        3,
        ClusterOptions.DEFAULT,
        rank -> {
          if (rank.number() == 2) {
            rank.receive(0, 1); // until rank 0 is about to come
            while (true) {
              try {
                rank.subgroup("some", 1, 0).leave("");
              } catch (MixedCallException e) {
                break;
              }
            }
            rank.send(1, 2, new byte[0]);
            return;
          }
          if (rank.number() == 0) {
            rank.send(2, 1, new byte[0]);
            assertThatThrownBy(() -> rank.subgroup("some", 2, 0))
                .isInstanceOf(MixedCallException.class); // or it would wait in vain
          } else {
            rank.receive(2, 2);
          }
          assertThat(rank.subgroup("some", 2, rank.number()).size()).isEqualTo(2);
        });
  }

  @Test
  void oneRankExtendsAFileAndNobodyWaits() throws IOException {
    run(
        2,
        ClusterOptions.DEFAULT,
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create().withStripeUnit(10))) {
            List<Long> sizes = new ArrayList<>();
            if (rank.number() == 1) {
              for (long size : new long[] {0, 7, 25, 3, 1L << 40}) {
                file.extend(size);
                sizes.add(file.size());
              }
              assertThat(sizes).containsExactly(0L, 7L, 25L, 25L, 1L << 40);
              byte[] read = {1, 1};
              assertThat(file.at((1L << 40) - 2).read(Memory.of(read))).isEqualTo(2);
              assertThat(read).containsOnly(0);
            }
          }
          try (SharedFile file = rank.open("f", OpenOptions.read())) {
            assertThatThrownBy(() -> file.extend(1)).isInstanceOf(IOException.class);
          }
        });
  }

  @Test
  void ranksThatSeekToTheEndTogetherGoToOnePlace() throws IOException {
    run(
        3,
        ClusterOptions.DEFAULT,
        rank -> {
          var options = OpenOptions.create().withMode(Mode.ORDERED);
          try (SharedFile file = rank.open("grows", options)) {
            long from = 0;
            for (int i = 1; i < 50; i++) {
              if (rank.number() == 2) {
                file.extend(10L * i); // the others may ask for the size before
              }
              long end = file.seekToEnd(-5);
              assertThat(end).isEqualTo(10L * i - 5);
              assertThat(file.position()).isEqualTo(end).isGreaterThan(from);
              from = end;
            }
            assertThatThrownBy(() -> file.seekToEnd(rank.number() == 1 ? 0 : -1))
                .isInstanceOf(MixedCallException.class);
            assertThatThrownBy(() -> file.seekToEnd(-1000))
                .isInstanceOf(IllegalArgumentException.class);
            assertThat(file.position()).isEqualTo(from);
          }
        });
  }
}
