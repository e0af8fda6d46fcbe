package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.millrace.Cluster;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;

/** Closing a file while asynchronous accesses are under way. */
final class CloseUnderWayTest {

  @Test
  void closeLetsAsynchronousAccessesEnd() throws Exception {
    try (Cluster cluster = BadInputs.inMemory(2)) {
      for (Mode mode : List.of(Mode.M_ASYNC, Mode.M_UNIX, Mode.M_GLOBAL)) {
        for (int i = 0; i < 20; i++) {
          cluster.run(
              3,
              rank -> {
                MemorySegment bytes = MemorySegment.ofArray(new byte[1 << 20]);
                CompletableFuture<Long> moved;
                try (var file = rank.open("f", OpenOptions.create().deleteOnClose().mode(mode))) {
                  moved =
                      mode == Mode.M_GLOBAL
                          ? file.writeAsync(bytes)
                          : file.writeAtAllAsync(1000L * rank.number(), bytes);
                }
                assertThat(moved.get()).isEqualTo(1 << 20);
              });
        }
      }
    }
  }
}
