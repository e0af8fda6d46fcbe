package org.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Screen;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.Status;

final class TopFrameTest {

  private static final long SECOND = 1_000_000_000L;
  private static final Status QUIET =
      new Status(1000, 3, List.of(), List.of(), List.of(), List.of());
  private static final List<NodeFact> NODES =
      List.of(
          new NodeFact(0, "tls:mill-a:7000", true, "up"),
          new NodeFact(1, "tls:mill-b:7000", false, "down since noon"));

  private static ClusterState state(long nanos, Map<String, Long> counters) {
    return new ClusterState(
        nanos,
        new Facts("c1", NODES, Map.of(), "ada"),
        QUIET,
        List.of(new NodeReport(0, counters, ""), new NodeReport(1, Map.of(), "gone")));
  }

  private static Map<String, Long> counters(long up, long factor) {
    Map<String, Long> counters = new HashMap<>();
    counters.put("upNanos", up);
    counters.put("get.count", 1000 * factor);
    counters.put("get.bytes", (2L << 20) * factor);
    counters.put("get.timed", 100 * factor);
    counters.put("get.nanos", 100 * 5000 * factor);
    counters.put("get.upTo.4095", 99 * factor);
    counters.put("get.upTo.1048575", factor);
    counters.put("hits", 900 * factor);
    counters.put("misses", 100 * factor);
    counters.put("bytesRead", 2048 * factor);
    counters.put("session.rosa/7.bytes", 4096 * factor);
    counters.put("session.rosa/7.operations", 10 * factor);
    counters.put("session.a/b/8.bytes", 8192 * factor);
    return counters;
  }

  @Test
  void ratesAreThoseSinceTheLastPicture() {
    TopFrame frame = new TopFrame(state(0, counters(1, 5)), state(2 * SECOND, counters(2, 6)));
    String text = String.join("\n", frame.lines()) + "\n";
    assertThat(text)
        .startsWith("millrace top: cluster c1, 2 nodes (1 down), 3 sessions")
        .contains("over 2.0 s\n")
        .containsPattern("\nmill-a +1 +1.0M +500 +90 % +5.0 us +4.1 us\n")
        .containsPattern("\nmill-b +1 +0 +0 +- +- +-\n")
        .containsPattern("\n0 +up +1.0K +0 +- +1.0M +500 +90 % +5.0 us +4.1 us\n")
        .containsPattern("\n1 +down +0 ")
        .containsPattern("\nget +1.0M +500 +90 % ")
        .containsPattern("\nsession 8 +a/b +0 +4.0K +0\nsession 7 +rosa +0 +2.0K +5\n")
        .doesNotContain("\nput");
  }

  @Test
  void nodesThatBeganAnewCountFromNothing() {
    TopFrame frame = new TopFrame(state(0, counters(900, 5)), state(SECOND, counters(3, 2)));
    assertThat(frame.lines()).anySatisfy(line -> assertThat(line).matches("get +4.0M +2000 .*"));
  }

  @Test
  void oneInAHundredMayBeSlowButNotTwo() {
    NodeReport before = new NodeReport(0, Map.of(), "");
    Rates one = new Rates().add(before, buckets(99, 1), List.of("get"));
    Rates two = new Rates().add(before, buckets(98, 2), List.of("get"));
    assertThat(one.p99Shown()).isEqualTo("100 ns");
    assertThat(two.p99Shown()).isEqualTo("1.0 ms");
    assertThat(new Rates().p99Shown()).isEqualTo("-");
  }

  private static NodeReport buckets(long fast, long slow) {
    return new NodeReport(0, Map.of("get.upTo.100", fast, "get.upTo.1000000", slow), "");
  }

  @Test
  void pictureFitsTheTerminal() {
    String picture = Screen.picture(List.of("abcdef", "g", "h"), 3, 4);
    assertThat(picture).isEqualTo("\033[Habcd\033[K\r\ng\033[K\r\nq ends\033[J");
  }

  @Test
  void wrongNumbersAreWrongUse() {
    assertThat(CommandLineRun.of("top", "--every", "0").err()).contains("0.01..3600", "was 0.0");
    assertThat(CommandLineRun.of("top", "--count", "0").err()).contains("at least 1, was 0");
    assertThat(CommandLineRun.of("top", "--once", "--dir", "no-such-cluster").exitCode())
        .isEqualTo(ExitCode.FAILED);
  }
}
