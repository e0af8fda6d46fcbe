package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.error.RankFailedException;

/** A rank that ended, seen by one that sends to it. */
final class SendToEndedRankTest {

  @TempDir private Path folder;

  @Test
  void senderFailsBecauseOfTheOther() throws Exception {
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      assertThatThrownBy(
              () ->
                  cluster.run(
                      2,
                      rank -> {
                        while (rank.number() == 0) {
                          rank.send(1, 7, new byte[] {1});
                        }
                      }))
          .isInstanceOf(RankFailedException.class)
          .hasMessageContaining("rank 0 of 2 sends to rank 1");
    }
  }

  @Test
  void runThrowsWhatTheEndedRankThrewNotWhatFollowed() throws Exception {
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      assertThatThrownBy(
              () ->
                  cluster.run(
                      2,
                      rank -> {
                        if (rank.number() == 1) {
                          throw new IllegalStateException("no water");
                        }
                        while (true) {
                          rank.send(1, 7, new byte[] {1});
                        }
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("no water");
    }
  }
}
