package org.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.output.Json;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.CoordinatorReply.Wait;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.Status;

final class StatusTextTest {

  private static final long SECOND = 1_000_000_000L;

  private static final NodeFact UP = new NodeFact(0, "unix:/run/node-0", true, "up");
  private static final NodeFact DOWN = new NodeFact(1, "", false, "never registered");

  private static final NodeReport REPORT =
      new NodeReport(
          0,
          Map.of(
              "usedBytes",
              3L << 20,
              "limitBytes",
              256L << 20,
              "hits",
              3L,
              "misses",
              1L,
              "storedBytes",
              5000L,
              "diskFree",
              1L << 40,
              "dirtyBytes",
              0L),
          "");

  private static ClusterState state(List<NodeFact> nodes, List<Wait> waits, NodeReport... reports) {
    Status status =
        new Status(
            125_000,
            7,
            List.of(
                new Status.OfGroup(
                    4,
                    2,
                    "rosa",
                    "job 9",
                    List.of(
                        new Status.OfMember(0, "", ""), new Status.OfMember(1, "", "was killed")))),
            List.of(new Status.OfOpen(11, 4, "data/x\u001b[2J", "rw append", 4096, 8192, Map.of())),
            waits,
            List.of(new Status.OfLock("file x 0..9", "4/0", 3 * SECOND)));
    return new ClusterState(0, new Facts("c1", nodes, Map.of(), "ada"), status, List.of(reports));
  }

  @Test
  void linesTellWhoWaitsForWhomInWhichCallSinceWhen() {
    Wait wait = new Wait(4, 0, "barrier", 90 * SECOND, List.of("4/1", "4/2"));
    ClusterState state = state(List.of(UP), List.of(wait), REPORT);
    String text = String.join("\n", StatusText.lines(state, 60 * SECOND));
    assertThat(text)
        .contains("cluster c1, coordinator up for 2 min, 7 sessions")
        .containsPattern("\n0 +up +unix:/run/node-0 +3.0M/256M +75 % +0 +4.9K +1.0T\n")
        .containsPattern("\n +4 +2/2 +rosa +job 9 +1: was killed\n")
        .containsPattern("\n +4 +11 +rw append +4096 +8192 +data/x\\?\\[2J\n")
        .containsPattern("\n +4 +0 +barrier +90 s +4/1 4/2\n")
        .containsPattern("\nfile x 0..9 +4/0 +3.0 s\n")
        .endsWith("problem: rank 0 of group 4 has been waiting for 90 s in barrier");
    assertThat(StatusText.lines(state, 100 * SECOND)).endsWith("all is well");
  }

  @Test
  void nodesThatAreDownOrSilentAreTrouble() {
    ClusterState state =
        state(List.of(UP, DOWN), List.of(), new NodeReport(0, Map.of(), "no answer"));
    assertThat(state.problems(0))
        .containsExactly("node 0 is silent: no answer", "node 1 is down: never registered");
    assertThat(StatusText.lines(state, 0))
        .anySatisfy(line -> assertThat(line).matches("1 +down +- +- +- +- +- +-"));
  }

  @Test
  void jsonHasAllOfIt() {
    Wait wait = new Wait(4, 0, "barrier", SECOND, List.of("4/1"));
    String json = Json.of(StatusText.values(state(List.of(UP), List.of(wait), REPORT), SECOND));
    assertThat(json)
        .contains("\"well\": true", "\"problems\": []", "\"forNanos\": 1000000000")
        .contains("\"waitsFor\": [", "\"4/1\"", "\"limitBytes\": 268435456", "\"pointer\": 4096")
        .contains("data/x\\u001b[2J");
  }

  @Test
  void nobodyToAskIsExitCodeTwo() {
    CommandLineRun run = CommandLineRun.of("status", "--dir", "no-such-cluster");
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(run.err()).matches("millrace: no processes run in .*millrace up.*\\R");
    assertThat(CommandLineRun.of("status", "--max-wait", "-1").exitCode())
        .isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("status", "--help").out()).contains("cannot be reached");
    assertThat(CommandLineRun.of("reset", "--dir", "no-such-cluster").exitCode())
        .isEqualTo(ExitCode.FAILED);
    assertThat(CommandLineRun.of("status", "--connect", "somewhere").err())
        .contains("write unix:/path");
  }
}
