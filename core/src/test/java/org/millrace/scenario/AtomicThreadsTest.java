package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;

/** Atomic mode, used by several threads of one rank. */
final class AtomicThreadsTest {

  @Test
  void threadsOfOneRankMayWriteTheSameRangeInAtomicMode() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create().withMode(Mode.ATOMIC))) {
              AtomicReference<Throwable> failure = new AtomicReference<>();
              List<Thread> threads = new ArrayList<>();
              for (int t = 0; t < 3; t++) {
                byte[] bytes = BadInputs.content(200_000, t);
                threads.add(
                    Thread.ofPlatform()
                        .start(
                            () -> {
                              for (int i = 0; i < 300; i++) {
                                Throwable e =
                                    catchThrowable(() -> file.at(0).write(Memory.of(bytes)));
                                if (e != null) {
                                  failure.set(e);
                                  return;
                                }
                              }
                            }));
              }
              for (Thread one : threads) {
                one.join();
              }
              assertThat(failure.get()).isNull();
            }
          });
    }
  }
}
