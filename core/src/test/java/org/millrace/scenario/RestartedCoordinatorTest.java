package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Rank;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;

/** Ranks that are threads of one program, and a coordinator whose process is killed under them. */
final class RestartedCoordinatorTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int RANKS = 3;

  /** Meetings end after 40 s: where a rank is waited for in vain, that is told, and not this. */
  private static final ClusterOptions OPTIONS =
      ClusterOptions.DEFAULT.withLimits(new Limits(60 * SECOND, 40 * SECOND, 8, 1 << 20));

  @TempDir private Path directory;

  private final ServerHosts servers = new ServerHosts();

  private Role role() {
    return new Role(-1, 1, 64 << 10, 8 << 20, Talk.SHARED_MEMORY, 20_000, 5_000, directory);
  }

  private void restartCoordinator() throws IOException {
    Jvm old = servers.jvm(ServerHost.COORDINATOR);
    old.kill();
    old.await();
    Jvm fresh = servers.jvm(ServerHost.COORDINATOR);
    fresh.send(role().as(ServerHost.COORDINATOR).toString());
    fresh.expect("ok");
  }

  private static void checkFails(Rank rank) {
    assertThatThrownBy(rank::barrier)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RANK_FAILED));
  }

  @Test
  void aRankThatHadEndedBeforeIsNotWaitedForAfterwards() throws IOException {
    try (var hosts = servers) {
      hosts.serve(role());
      try (RunningCluster cluster =
          RunningCluster.connect(new ClusterLocation.In(directory), OPTIONS, role().transport())) {
        cluster.run(
            RANKS,
            rank -> {
              if (rank.number() == 0) {
                checkFails(rank); // so another has ended
                restartCoordinator();
                checkFails(rank);
              }
            });
      }
    }
  }
}
