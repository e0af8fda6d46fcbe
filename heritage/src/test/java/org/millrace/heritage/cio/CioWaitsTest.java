package org.millrace.heritage.cio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.DeadlineException;
import org.millrace.heritage.testing.Programs;
import org.millrace.protocol.CoordinatorReply;

/** One who waits for the token is part of the picture of who waits for whom. */
final class CioWaitsTest {

  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path directory;

  private void run(long meetingNanos, Programs.Watching program) throws IOException {
    ClusterOptions options =
        ClusterOptions.DEFAULT.withLimits(Limits.DEFAULT.withMeetingNanos(meetingNanos));
    Programs.watch(directory, 3, 1, options, program);
  }

  private static List<CoordinatorReply.Wait> ofToken(RunningCluster cluster) throws IOException {
    return cluster.waits().stream().filter(wait -> wait.call().startsWith("receive")).toList();
  }

  @Test
  void whoWaitsForTheTokenIsShownWithThoseWhoMayPassItOn() throws IOException {
    run(
        3600 * SECOND,
        (rank, cluster) -> {
          try (CioFile file = new Cio(rank).open("f", OpenOptions.create(), CioMode.MULTI)) {
            if (rank.number() == 0) {
              while (ofToken(cluster).size() < 2) {
                Programs.pause(); // until both others are known to wait
              }
              assertThat(ofToken(cluster))
                  .allSatisfy(wait -> assertThat(wait.waitsFor()).hasSize(2))
                  .extracting(CoordinatorReply.Wait::rank)
                  .containsExactlyInAnyOrder(1, 2);
            } else {
              file.awaitToken();
            }
            file.passToken();
          }
          rank.barrier();
          assertThat(ofToken(cluster)).isEmpty();
        });
  }

  /** The control: a token that nobody passes on is waited for until the deadline. */
  @Test
  void aTokenThatIsKeptIsWaitedForUntilTheDeadline() throws IOException {
    CyclicBarrier back = new CyclicBarrier(3); // one who ended would be the others' error
    run(
        2 * SECOND,
        (rank, _) -> {
          CioFile file = new Cio(rank).open("f", OpenOptions.create(), CioMode.MULTI);
          if (rank.number() != 0) {
            assertThatThrownBy(file::awaitToken).isInstanceOf(DeadlineException.class);
          }
          back.await();
        });
  }
}
