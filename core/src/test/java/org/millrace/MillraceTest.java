package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.FutureTask;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.MixedCallException;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;

/** What programs are told from outside, and what they are told when something is not as asked. */
final class MillraceTest {

  @TempDir private Path folder;

  private static RunSettings settings(Map<String, String> properties, Map<String, String> env) {
    Properties all = new Properties();
    all.putAll(properties);
    return new RunSettings(all, env);
  }

  @Test
  void propertiesGoBeforeVariables() throws IOException {
    String property = folder.resolve("property").toString();
    String variable = folder.resolve("variable").toString();
    Map<String, String> env = Map.of("MILLRACE_ADDRESS", variable, "MILLRACE_NODES", "2");
    try (RunningCluster cluster = settings(Map.of(), env).open(ClusterOptions.DEFAULT)) {
      assertThat(cluster.nodes()).isEqualTo(2);
    }
    var both = settings(Map.of("millrace.address", property, "millrace.nodes", "3"), env);
    try (RunningCluster cluster = both.open(ClusterOptions.DEFAULT)) {
      assertThat(cluster.nodes()).isEqualTo(3);
    }
    var as = settings(Map.of("millrace.address", variable), Map.of());
    try (RunningCluster cluster = as.open(ClusterOptions.DEFAULT)) {
      assertThat(cluster.nodes()).as("as many as it has").isEqualTo(2);
    }
  }

  @Test
  void processesKeepTheNodesThatAClusterHas() throws Exception {
    Cluster.embedded(folder, 2).close();
    var settings = settings(Map.of("millrace.address", folder.toString()), Map.of());
    List<FutureTask<Void>> ranks = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Launch launch = new Launch("test", "job", i, 3);
      FutureTask<Void> rank =
          new FutureTask<>(
              () -> {
                try (ProcessRank process = settings.join(launch, ClusterOptions.DEFAULT)) {
                  process.run(Rank::barrier);
                }
                return null;
              });
      ranks.add(rank);
      Thread.ofPlatform().daemon().start(rank);
    }
    for (FutureTask<Void> rank : ranks) {
      rank.get();
    }
    try (RunningCluster cluster = settings.open(ClusterOptions.DEFAULT)) {
      assertThat(cluster.nodes()).isEqualTo(2);
    }
  }

  @Test
  void whereNothingRunsTheErrorNamesTheCommandThatStartsIt() {
    assertThatThrownBy(() -> Cluster.connect(folder.toString(), ClusterOptions.DEFAULT))
        .hasMessageContaining("no coordinator runs in " + folder)
        .hasMessageEndingWith("start one with: millrace up --dir " + folder);
  }

  @Test
  void ranksAreFourUnlessAPropertySaysOtherwise() {
    Map<String, String> env = Map.of("MILLRACE_RANKS", "7");
    assertThat(settings(Map.of(), env).ranks()).isEqualTo(4);
    assertThat(settings(Map.of("millrace.ranks", "6"), env).ranks()).isEqualTo(6);
    assertThatThrownBy(() -> settings(Map.of("millrace.ranks", "none"), env).ranks())
        .hasMessage("millrace.ranks is 'none', must be a whole number of at least 1");
  }

  @Test
  void aNumberOfNodesThatIsNotAsAskedIsLogged() throws IOException {
    List<String> said = new ArrayList<>();
    Logger logger = Logger.getLogger("org.millrace");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord one) {
            said.add(one.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      for (int nodes : List.of(2, 2, 3, 1)) {
        Cluster.embedded(folder, nodes).close();
      }
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(said).hasSize(2);
    assertThat(said.getFirst()).contains("had 2 nodes and has 3 from now on");
    assertThat(said.getLast()).contains("has 3 nodes and uses all of them, not 1 as asked");
  }

  @Test
  void opensThatDifferAreToldByWhatDiffers() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      cluster.run(
          3,
          rank -> {
            OpenOptions usual = OpenOptions.create();
            OpenOptions mine = rank.number() == 1 ? usual.withTruncate() : usual;
            var e =
                catchThrowableOfType(MixedCallException.class, () -> rank.open("/f", mine).close());
            assertThat(e.getMessage())
                .contains("called open(/f [read, write, create])")
                .contains("rank 1 called open(/f [read, write, create, truncate])")
                .hasSizeLessThan(200);
          });
    }
  }

  @Test
  void aSlashInFrontOfANameChangesNothing() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      cluster.run(
          1,
          rank -> {
            rank.open("/f", OpenOptions.create()).close();
            assertThat(rank.names().list("/")).containsExactly("f");
            rank.open("f", OpenOptions.read()).close();
          });
    }
  }
}
