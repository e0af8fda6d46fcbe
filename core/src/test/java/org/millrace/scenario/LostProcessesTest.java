package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeFact;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

/** Processes are killed and stopped: ranks, nodes, the coordinator. */
final class LostProcessesTest {

  /** Nobody who lives is ever silent for so long, however busy the machine is. */
  private static final int LONG_MILLIS = 120_000;

  /** Only a process that was stopped should be silent for so long. */
  private static final int SILENCE_MILLIS = 5_000;

  private static final int GRACE_MILLIS = 500;

  /** Somebody who lives has come back by then, however busy the machine is. */
  private static final int RETURN_MILLIS = 8_000;

  private static final byte[] CONTENT = BadInputs.content(300_000, 9);

  @TempDir private Path directory;

  private final ServerHosts hosts = new ServerHosts();
  private Role role;

  @BeforeEach
  void start() throws IOException {
    role = role(LONG_MILLIS, GRACE_MILLIS);
  }

  private Role role(int silenceMillis, int graceMillis) {
    return new Role(
        -1, 2, 10_000, 4 << 20, Talk.SHARED_MEMORY, silenceMillis, graceMillis, directory);
  }

  @AfterEach
  void end() throws IOException {
    hosts.close();
  }

  private RunningCluster connect() throws IOException {
    return RunningCluster.connect(
        new ClusterLocation.In(directory), BadInputs.options(), role.transport());
  }

  /** Kills a server and starts another in its place. */
  private void replace(int number) throws IOException {
    Jvm jvm = hosts.jvm(number);
    jvm.kill();
    jvm.await();
    restart(number);
  }

  /** Nodes come back to a coordinator that was restarted by themselves, after a moment. */
  static void awaitNodes(RunningCluster cluster) throws IOException {
    Eventually.holds(
        "all nodes have come back", () -> cluster.nodeFacts().stream().allMatch(NodeFact::up));
  }

  private void restart(int number) throws IOException {
    Jvm fresh = hosts.jvm(number);
    fresh.send(role.as(number).toString());
    fresh.expect("ok");
  }

  @ParameterizedTest
  @CsvSource("kill, 0")
  void ranksThatAreLostInACallAreNamedAndTheOthersGoOn(String how, int first) throws Exception {
    loseRanks(how, first);
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"stop, 0", "kill, 6", "stop, 10"})
  void ranksThatAreLostInOtherCallsAreNamedAndTheOthersGoOn(String how, int first)
      throws Exception {
    loseRanks(how, first);
  }

  /** A stopped rank is noticed by its silence, which takes its time: a few calls will do. */
  private void loseRanks(String how, int first) throws Exception {
    boolean stop = how.equals("stop");
    int silenceMillis = stop ? SILENCE_MILLIS : LONG_MILLIS;
    hosts.serve(role(silenceMillis, GRACE_MILLIS));
    int most = stop ? Math.min(6, 2 * Seeds.CAMPAIGN) : 6;
    List<RankChild.Call> calls = RankChild.calls().stream().skip(first).limit(most).toList();
    int ranks = calls.size() + 1;
    List<Jvm> children = new ArrayList<>();
    try {
      for (int r = 0; r < ranks; r++) {
        children.add(
            Jvm.start(
                RankChild.class,
                Map.of(),
                Integer.toString(r),
                Integer.toString(ranks),
                Integer.toString(silenceMillis),
                Integer.toString(GRACE_MILLIS),
                Integer.toString(first),
                directory.toString()));
      }
      for (int lost = ranks - 1; lost > 0; lost--) {
        String call = calls.get(ranks - 1 - lost).name();
        children.get(lost).expect("lose me in " + call);
        if (stop) {
          children.get(lost).stop();
        } else {
          children.get(lost).kill();
        }
        for (int r = 0; r < lost; r++) {
          children.get(r).expect("survived " + call);
        }
      }
      children.getFirst().expect("end");
      assertThat(children.getFirst().await()).isZero();
    } finally {
      for (Jvm one : children) {
        one.close();
      }
    }
  }

  @Test
  void aNodeThatIsKilledIsNamedAndTheOthersGoOn() throws IOException {
    hosts.serve(role);
    try (RunningCluster cluster = connect()) {
      BadInputs.store(cluster, "both", CONTENT);
      cluster.run(
          1,
          rank -> {
            try (SharedFile other =
                rank.open("other", OpenOptions.create().withStrands(1).withFirstNode(1))) {
              SharedFile both = rank.open("both", OpenOptions.readWrite());
              byte[] all = new byte[CONTENT.length];
              both.at(0).read(Memory.of(all));
              hosts.jvm(0).kill();
              hosts.jvm(0).await();
              assertThatThrownBy(() -> both.at(0).read(Memory.of(all)))
                  .isInstanceOf(MillraceException.class)
                  .hasMessageContaining("node 0");
              assertThatThrownBy(() -> both.at(0).write(Memory.of(all)))
                  .hasMessageContaining("node 0");
              other.at(0).write(Memory.of(CONTENT));
              other.flush();
              restart(0);
              assertThatThrownBy(both::flush).isInstanceOf(MillraceException.class);
              assertThatThrownBy(both::close).isInstanceOf(MillraceException.class);
            }
            BadInputs.assertContent(rank, "both", CONTENT);
            BadInputs.assertContent(rank, "other", CONTENT);
          });
    }
  }

  @Test
  void whatWasWrittenBeforeANodeDiedIsNeverFlushedAfterwards() throws IOException {
    hosts.serve(role);
    try (RunningCluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            SharedFile file = rank.open("f", OpenOptions.create());
            file.at(0).write(Memory.of(CONTENT));
            replace(0);
            assertThatThrownBy(file::flush).isInstanceOf(MillraceException.class);
            assertThatThrownBy(file::close).isInstanceOf(MillraceException.class);
            try (SharedFile again = rank.open("f", OpenOptions.create())) {
              again.at(0).write(Memory.of(CONTENT));
              again.flush();
            }
            BadInputs.assertContent(rank, "f", CONTENT);
          });
    }
  }

  @Test
  void aCoordinatorThatWasKilledComesBackWithNamesAndSizesAndProgramsGoOn() throws IOException {
    role = role(LONG_MILLIS, RETURN_MILLIS);
    hosts.serve(role);
    try (RunningCluster cluster = connect()) {
      BadInputs.store(cluster, "before", CONTENT);
      cluster.run(
          3,
          rank -> {
            byte[] found = new byte[CONTENT.length];
            try (SharedFile file = rank.open("before", OpenOptions.read())) {
              rank.barrier();
              if (rank.number() == 0) {
                replace(ServerHost.COORDINATOR);
              }
              rank.barrier();
              file.at(0).all().read(Memory.of(found));
              assertThat(found).isEqualTo(CONTENT);
            }
            BadInputs.assertContent(rank.alone(), "before", CONTENT);
          });
    }
    try (RunningCluster cluster = connect()) {
      awaitNodes(cluster);
      BadInputs.assertContent(cluster, "before", CONTENT);
      cluster.run(2, rank -> assertThat(rank.names().size("before")).isEqualTo(CONTENT.length));
      BadInputs.store(cluster, "after", CONTENT);
      BadInputs.assertContent(cluster, "after", CONTENT);
    }
  }
}
