package org.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.cluster.Administration.NodeReport;

/** What status says of a node's troubles. */
final class NodeTroublesTest {

  private static final long HOUR = 3_600_000;

  private static NodeReport report(Map<String, Long> counters) {
    return new NodeReport(2, counters, "");
  }

  @Test
  void aNodeWithoutTroubleHasNoLine() {
    assertThat(
            NodeTroubles.of(
                report(Map.of("diskFree", 50L, "diskTotal", 100L, "clockAheadMillis", 900L))))
        .isEmpty();
    assertThat(NodeTroubles.of(new NodeReport(2, Map.of(), "it is silent"))).isEmpty();
  }

  @Test
  void everyTroubleIsALineThatSaysWhatToDo() {
    assertThat(NodeTroubles.of(report(Map.of("trouble.disk", 1L))))
        .singleElement()
        .asString()
        .startsWith("node 2: its disk failed in 1 call;")
        .contains("check the disk");
    assertThat(NodeTroubles.of(report(Map.of("trouble.corrupt", 3L))))
        .singleElement()
        .asString()
        .contains("corrupt data were met in 3 calls")
        .contains("restore");
    assertThat(NodeTroubles.of(report(Map.of("diskFree", 0L, "diskTotal", 1L << 30))))
        .singleElement()
        .asString()
        .contains("full")
        .contains("remove files");
    assertThat(NodeTroubles.of(report(Map.of("clockAheadMillis", 13 * HOUR))))
        .singleElement()
        .asString()
        .contains("this node's clock is 13 h ahead of the coordinator's");
    assertThat(NodeTroubles.of(report(Map.of("clockAheadMillis", -HOUR / 2))))
        .singleElement()
        .asString()
        .contains("30 min behind");
  }

  @Test
  void refusalsAreForgottenAfterAnHour() {
    assertThat(
            NodeTroubles.of(report(Map.of("trouble.refused", 1L, "trouble.refused.agoMillis", 9L))))
        .singleElement()
        .asString()
        .contains("audit.log");
    assertThat(
            NodeTroubles.of(report(Map.of("trouble.expired", 1L, "trouble.expired.agoMillis", 9L))))
        .singleElement()
        .asString()
        .contains("expired");
    assertThat(
            NodeTroubles.of(
                report(Map.of("trouble.refused", 1L, "trouble.refused.agoMillis", 2 * HOUR))))
        .isEmpty();
  }
}
