package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;

/** Accesses near the largest offset there is. */
final class LargestOffsetTest {

  @Test
  void whatNoDiskCanHoldIsRefusedAndDoesNoHarm() throws Exception {
    for (int nodes = 1; nodes <= 2; nodes++) {
      try (RunningCluster cluster = BadInputs.inMemory(nodes)) {
        cluster.run(
            1,
            rank -> {
              try (var file = rank.open("f", OpenOptions.create().withStrands(1))) {
                file.at(0).write(Memory.of(new byte[] {1, 2, 3}));
                assertThat(
                        catchThrowable(
                            () -> file.at(Long.MAX_VALUE - 9).write(Memory.of(new byte[9]))))
                    .isNotNull();
                assertThat(
                        catchThrowable(
                            () ->
                                file.at(Long.MAX_VALUE - 99_999)
                                    .write(Memory.of(new byte[99_999]))))
                    .isNotNull();
                assertThat(catchThrowable(() -> file.resize(Long.MAX_VALUE))).isNotNull();
                assertThat(file.size()).isEqualTo(3);
                file.flush();
              }
            });
        BadInputs.assertContent(cluster, "f", new byte[] {1, 2, 3});
      }
    }
  }

  @Test
  void aPointerThatWouldOverflowIsRefusedAndStays() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create())) {
              file.seek(Long.MAX_VALUE - 3);
              assertThatThrownBy(() -> file.write(Memory.of(new byte[10])))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("plus length 10 exceeds");
              assertThat(file.position()).isEqualTo(Long.MAX_VALUE - 3);
            }
          });
    }
  }
}
