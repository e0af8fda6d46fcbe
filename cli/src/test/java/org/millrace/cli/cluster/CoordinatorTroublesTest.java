package org.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.protocol.CoordinatorReply.Facts;

/** What status says of the coordinator's own troubles. */
final class CoordinatorTroublesTest {

  private static final long HOUR = 3_600_000;

  private static List<String> lines(String health, Long... nodesAheadMillis) {
    Facts facts = new Facts("c1", List.of(), Map.of("coordinator-health", health), "ada");
    List<NodeReport> nodes =
        List.of(nodesAheadMillis).stream()
            .map(ahead -> new NodeReport(0, Map.of("clockAheadMillis", ahead), ""))
            .toList();
    return CoordinatorTroubles.of(facts, nodes);
  }

  @Test
  void aCoordinatorWithoutTroubleHasNoLine() {
    assertThat(lines("diskFree=50,diskTotal=100,journalBusyMillis=3,clockBehindMillis=0", 5L, 9L))
        .isEmpty();
    assertThat(lines("")).as("one that says nothing of itself").isEmpty();
  }

  @Test
  void everyTroubleIsALineThatSaysWhatToDo() {
    assertThat(lines("trouble.disk=2"))
        .singleElement()
        .asString()
        .startsWith("coordinator: its disk failed 2 times;")
        .contains("check the disk");
    assertThat(lines("trouble.repaired=1")).singleElement().asString().contains("second copy");
    assertThat(lines("journalBusyMillis=12000")).singleElement().asString().contains("12 s");
    assertThat(lines("diskFree=0,diskTotal=1000000"))
        .singleElement()
        .asString()
        .contains("make room");
    assertThat(lines("trouble.full=1,trouble.full.agoMillis=5")).hasSize(1);
    assertThat(lines("trouble.refused=3,trouble.refused.agoMillis=5"))
        .singleElement()
        .asString()
        .contains("refused 3 connections")
        .contains("run/coordinator.audit.log");
    assertThat(lines("clockBehindMillis=" + 2 * HOUR))
        .singleElement()
        .asString()
        .contains("2 h behind the date of its newest file");
    assertThat(lines("trouble.clock=1,trouble.clock.agoMillis=5"))
        .singleElement()
        .asString()
        .contains("its clock was set");
  }

  @Test
  void whatPassesByItselfIsForgottenAfterAnHour() {
    assertThat(lines("trouble.refused=3,trouble.refused.agoMillis=" + 2 * HOUR)).isEmpty();
    assertThat(lines("trouble.full=3,trouble.full.agoMillis=" + 2 * HOUR)).isEmpty();
  }

  @Test
  void ifMostNodesAgreeOnAnotherDateTheCoordinatorsIsWrong() {
    assertThat(lines("", 13 * HOUR, 13 * HOUR + 5, 0L))
        .singleElement()
        .asString()
        .contains("its clock is 13 h behind those of most nodes");
    assertThat(lines("", 13 * HOUR, 0L, 0L)).as("one node's own clock").isEmpty();
    assertThat(lines("", 13 * HOUR, 5 * HOUR)).as("nodes that do not agree").isEmpty();
  }
}
