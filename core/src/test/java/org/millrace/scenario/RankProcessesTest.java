package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Seeds;

/** The models with each rank in a process of its own: the processes are the cluster, or are not. */
final class RankProcessesTest {

  private static final int RANKS = 6; // as many as the model of collective calls draws at most

  @TempDir private Path directory;

  @Test
  void ranksOfADaemonsClusterDoWhatTheModelsDo() throws IOException {
    try (var hosts = new ServerHosts()) {
      hosts.serve(new Role(-1, 3, 100, 4 << 20, Talk.SHARED_MEMORY, 20_000, directory));
      run("clients");
      hosts.end(3);
    }
  }

  @Test
  void ranksThatAreTheClusterDoWhatTheModelsDo() throws IOException {
    run("peers");
  }

  private void run(String how) throws IOException {
    for (long seed : Seeds.of(1)) {
      List<Jvm> ranks = new ArrayList<>();
      try {
        for (int r = 0; r < RANKS; r++) {
          ranks.add(
              Jvm.start(
                  ModelChild.class,
                  Map.of(),
                  Integer.toString(r),
                  Integer.toString(RANKS),
                  how,
                  directory.toString(),
                  Long.toString(seed)));
        }
        for (Jvm one : ranks) {
          one.expect("end");
          assertThat(one.await()).isZero();
        }
      } catch (IOException e) {
        throw new IOException(how + ", " + Seeds.replay(seed) + ": " + e.getMessage(), e);
      } finally {
        for (Jvm one : ranks) {
          one.close();
        }
      }
    }
  }
}
