package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.plan.Strategy;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Seeds;

/**
 * The models with each rank in a process of its own: the processes are the cluster, or are not. The
 * strategies are divided between the two; a campaign tries all in both.
 */
final class RankProcessesTest {

  private static final int RANKS = 6; // as many as the model of collective calls draws at most

  @TempDir private Path directory;

  @Test
  @Tag("long")
  void ranksOfADaemonsClusterDoWhatTheModelsDo() throws IOException {
    try (var hosts = new ServerHosts()) {
      hosts.serve(new Role(-1, 3, 100, 4 << 20, Talk.SHARED_MEMORY, 20_000, directory));
      run("clients", Strategy.AUTO, Strategy.DIRECT, Strategy.TWO_PHASE, Strategy.DISK_DIRECTED);
      hosts.end(3);
    }
  }

  @Test
  @Tag("long")
  void ranksThatAreTheClusterDoWhatTheModelsDo() throws IOException {
    run("peers", Strategy.AUTO, Strategy.SIEVED, Strategy.EXTENDED_TWO_PHASE);
  }

  private void run(String how, Strategy... few) throws IOException {
    Strategy[] strategies = Seeds.CAMPAIGN > 1 ? Strategy.values() : few;
    for (long seed : Seeds.of(1)) {
      List<Jvm> ranks = new ArrayList<>();
      try {
        for (int r = 0; r < RANKS; r++) {
          ranks.add(Jvm.start(ModelChild.class, Map.of(), arguments(r, how, seed, strategies)));
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

  private String[] arguments(int rank, String how, long seed, Strategy... strategies) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of(Integer.toString(rank), Integer.toString(RANKS), how));
    arguments.addAll(List.of(directory.toString(), Long.toString(seed)));
    for (Strategy strategy : strategies) {
      arguments.add(strategy.name());
    }
    return arguments.toArray(String[]::new);
  }
}
