package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;

/** Views of which every position lies in the file. */
final class EndlessViewTest {

  @Test
  void aViewThatShowsTheSameBytesForEverHasNoEnd() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create())) {
              file.at(0).write(Memory.of(new byte[] {1, 2, 3, 4}));
              file.setView(new View(0, Pattern.run(4), 0));
              byte[] into = new byte[22];
              assertThat(file.at(2).read(Memory.of(into))).isEqualTo(22);
              assertThat(into).startsWith(3, 4, 1, 2, 3, 4).endsWith(1, 2, 3, 4);
            }
          });
    }
  }
}
