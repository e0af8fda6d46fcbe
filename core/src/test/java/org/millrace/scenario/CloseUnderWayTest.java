package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;

/** Closing a file while asynchronous accesses are under way. */
final class CloseUnderWayTest {

  @Test
  void closeLetsAsynchronousAccessesEnd() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      for (Mode mode : List.of(Mode.INDEPENDENT, Mode.ATOMIC, Mode.GLOBAL)) {
        for (int i = 0; i < 20; i++) {
          cluster.run(
              3,
              rank -> {
                MemorySegment bytes = MemorySegment.ofArray(new byte[1 << 20]);
                CompletableFuture<Long> moved;
                try (var file =
                    rank.open("f", OpenOptions.create().withDeleteOnClose().withMode(mode))) {
                  moved =
                      mode == Mode.GLOBAL
                          ? file.writeAsync(bytes)
                          : file.at(1000L * rank.number()).all().writeAsync(bytes);
                }
                assertThat(moved.get()).isEqualTo(1 << 20);
              });
        }
      }
    }
  }
}
