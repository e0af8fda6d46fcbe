package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.RankFailedException;

/** A rank that returns while its asynchronous calls are under way. */
@SuppressWarnings("FutureReturnValueIgnored") // what this is about
final class UnawaitedTest {

  @Test
  void whatARankLeavesUnderWayIsDone() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      for (int i = 0; i < 10; i++) {
        String name = "f" + i;
        byte[] bytes = BadInputs.content(1 << 18, i);
        cluster.run(
            1,
            rank -> {
              var file = rank.open(name, OpenOptions.create().withMode(Mode.ATOMIC));
              for (int k = 0; k < 8; k++) {
                file.at((long) k << 17).writeAsync(BadInputs.segment(bytes));
              }
            });
        cluster.run(
            1,
            rank -> {
              try (var file = rank.open(name, OpenOptions.read())) {
                assertThat(file.size()).as(name).isEqualTo((7 << 17) + (1 << 18));
              }
            });
      }
    }
  }

  @Test
  void whatWaitsForOthersDoesNotKeepThemWaiting() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          2,
          rank -> {
            var file = rank.open("f", OpenOptions.create().withMode(Mode.ORDERED));
            if (rank.number() == 0) {
              file.writeAsync(BadInputs.segment(new byte[10]));
              return;
            }
            assertThat(catchThrowable(rank::barrier)).isInstanceOf(RankFailedException.class);
          });
    }
  }
}
