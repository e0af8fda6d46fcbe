package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;

/** Where appended bytes go when the view or the size has changed. */
final class AppendEndTest {

  @Test
  void appendingGoesToTheEndThatAViewShows() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      for (Mode mode : Mode.values()) {
        cluster.run(
            1,
            rank -> {
              String name = "f" + mode;
              try (var file = rank.open(name, OpenOptions.create().withAppend().withMode(mode))) {
                file.write(Memory.of(new byte[100]));
                file.setView(View.from(40));
                file.write(Memory.of(new byte[10]));
                assertThat(file.size()).as(mode.toString()).isEqualTo(110);
              }
            });
      }
    }
  }

  @Test
  void appendingGoesToTheEndAfterTheFileWasCut() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      for (Mode mode : Mode.values()) {
        cluster.run(
            1,
            rank -> {
              String name = "f" + mode;
              try (var file = rank.open(name, OpenOptions.create().withAppend().withMode(mode))) {
                file.write(Memory.of(new byte[100]));
                file.resize(7);
                file.write(Memory.of(new byte[10]));
                assertThat(file.size()).as(mode.toString()).isEqualTo(17);
              }
            });
      }
    }
  }
}
