package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.launch.Launch;
import org.millrace.launch.Launched;
import org.millrace.launch.LaunchedOptions;

/** Processes that take part as their environment says. */
final class LaunchedTest {

  @TempDir private Path directory;

  /** Writes its number into a file of all, and says how many ranks there are. */
  static final class Child {

    private Child() {}

    public static void main(String[] args) throws IOException {
      try (Launched launched = Launched.join(LaunchedOptions.DEFAULT)) {
        launched.run(
            rank -> {
              try (var file = rank.open("numbers", OpenOptions.create())) {
                long[] mine = {10 + rank.number()};
                file.at(8L * rank.number()).write(Memory.of(mine));
              }
            });
        System.out.println("one of " + launched.rank().size());
      }
    }
  }

  @Test
  void processesJoinAsTheirEnvironmentSaysAndLeaveTheirFiles() throws Exception {
    int size = 2;
    List<Jvm> ranks = new ArrayList<>();
    try {
      for (int i = 0; i < size; i++) {
        ranks.add(
            Jvm.start(
                Child.class,
                Map.of(
                    "MILLRACE_RANK",
                    Integer.toString(i),
                    "MILLRACE_RANKS",
                    Integer.toString(size),
                    "MILLRACE_JOB",
                    "launched",
                    Launch.ADDRESS,
                    directory.toString())));
      }
      for (Jvm rank : ranks) {
        rank.expect("one of " + size);
        assertThat(rank.readLine()).as("it ends").isNull();
      }
    } finally {
      for (Jvm rank : ranks) {
        rank.close();
      }
    }
    try (Cluster cluster = Cluster.open(directory, ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open("numbers", OpenOptions.read())) {
              long[] all = new long[size];
              file.at(0).readFully(Memory.of(all));
              assertThat(all).containsExactly(10, 11);
            }
          });
    }
  }

  @Test
  void aProcessThatWasStartedAloneIsToldHowToRunIt() {
    assumeThat(Launch.recognize()).isEmpty();
    assertThatThrownBy(() -> Launched.join(LaunchedOptions.DEFAULT))
        .hasMessageContaining("this process was not launched as a rank")
        .hasMessageContaining("Millrace.run");
  }
}
