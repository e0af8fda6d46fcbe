package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;

/** A file that a rank closes by itself, through daemons. */
final class LoneCloseTest {

  private static final int FILES = 200;
  private static final int TAG = 1;

  @TempDir private Path directory;

  /**
   * Rank 1's message to rank 0 takes another way than its close to the coordinator, and must not
   * arrive there first.
   */
  @Test
  void aFileThatAllHaveClosedCanBeRemovedByThoseWhoHearOfIt() throws IOException {
    var place = new ClusterLocation.In(directory);
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ = Server.node(directory, 0, place, ServerOptions.DEFAULT, _ -> {});
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(
          2,
          rank -> {
            for (int i = 0; i < FILES; i++) {
              String name = "file-" + i;
              var file = rank.open(name, OpenOptions.create());
              if (rank.number() == 0) {
                file.close();
                rank.receive(1, TAG);
                rank.names().removeUnused(name);
              } else {
                file.at(0).write(Memory.of(new byte[] {1}));
                file.close();
                rank.send(0, TAG, new byte[0]);
              }
            }
            rank.barrier();
            assertThat(rank.names().list("")).isEmpty();
          });
    }
  }
}
