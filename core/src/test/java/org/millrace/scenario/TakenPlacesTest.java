package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;

/** Places of the group's pointer that are taken without an access. */
final class TakenPlacesTest {

  @TempDir private Path directory;

  @Test
  void sharedPlacesAreDisjointAndMayLieBeyondTheEnd() throws Exception {
    var starts = new ConcurrentSkipListSet<Long>();
    try (Cluster cluster = Cluster.embedded(directory, 2)) {
      cluster.run(
          4,
          rank -> {
            try (var file = rank.open("taken", OpenOptions.create())) {
              for (int i = 0; i < 10; i++) {
                assertThat(starts.add(file.takeShared(7))).isTrue();
              }
              long before = file.takeShared(0); // others may go on taking theirs
              assertThat(before % 7).isZero();
              rank.barrier();
              assertThat(file.sharedPosition()).isEqualTo(280);
              assertThat(file.size()).isZero();
              assertThatThrownBy(() -> file.takeShared(-1))
                  .isInstanceOf(IllegalArgumentException.class);
            }
          });
    }
    assertThat(starts).hasSize(40).allMatch(start -> start % 7 == 0).last().isEqualTo(273L);
  }

  @Test
  void orderedPlacesFollowTheRanks() throws Exception {
    try (Cluster cluster = Cluster.embedded(directory, 1)) {
      cluster.run(
          3,
          rank -> {
            try (var file = rank.open("taken", OpenOptions.create())) {
              file.seekShared(100);
              int r = rank.number();
              assertThat(file.takeOrdered(r)).isEqualTo(100 + r * (r - 1) / 2);
              assertThat(file.takeOrdered(r == 1 ? 5 : 0)).isEqualTo(r < 2 ? 103 : 108);
              assertThat(file.sharedPosition()).isEqualTo(108);
              file.setMode(Mode.RECORD);
              assertThatThrownBy(() -> file.takeOrdered(1))
                  .isInstanceOf(IllegalStateException.class);
            }
          });
    }
  }
}
