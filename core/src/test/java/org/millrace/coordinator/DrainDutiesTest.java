package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeHolding;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.StrandDuty;

/** What the coordinator tells nodes that are drained, and how much work that is. */
final class DrainDutiesTest {

  /** Files of one strand on each of some nodes in turn; all nodes are there. */
  private static Link filled(Harness harness, int nodes, int files, int on) throws IOException {
    Link root = harness.link(Harness.ROOT);
    for (int node = 0; node < nodes; node++) {
      harness.call(root, new CoordinatorRequest.Register(node, "unix:/" + node, 1));
    }
    Harness.Ranks one = harness.ranks(1);
    for (int i = 0; i < files; i++) {
      one.closeFile(one.open("f" + i, onNode(i % on)).open());
    }
    return root;
  }

  private static OpenFlags onNode(int node) {
    return new OpenFlags(
        true, true, true, true, false, false, false, false, 0644, 0, 1, node, 0, 1);
  }

  private static List<StrandDuty> duties(Harness harness, Link link, int node) throws IOException {
    var asked = new CoordinatorRequest.AskDuties(node);
    return ((CoordinatorReply.Duties) harness.call(link, asked)).duties();
  }

  /** Moves as a node does, until nothing is left; returns how often it asked what to do. */
  private static int drain(Harness harness, Link link, int node) throws IOException {
    int asked = 0;
    while (true) {
      List<StrandDuty> duties = duties(harness, link, node);
      asked++;
      if (duties.isEmpty()) {
        return asked;
      }
      for (StrandDuty duty : duties) {
        harness.call(link, new CoordinatorRequest.MoveStrand(duty.strand(), node, duty.node()));
      }
    }
  }

  private static boolean heartbeat(Harness harness, Link link, int node) throws IOException {
    var request = new CoordinatorRequest.Heartbeat(node, List.of(), 0, 0);
    return ((CoordinatorReply.Removals) harness.call(link, request)).rebuilds();
  }

  private static List<Long> held(Harness harness, Link link) throws IOException {
    return ((CoordinatorReply.Holdings) harness.call(link, new CoordinatorRequest.AskNodes()))
        .nodes().stream().map(NodeHolding::strands).toList();
  }

  private static void change(Harness harness, Link link, int node, NodeAction action)
      throws IOException {
    harness.call(link, new CoordinatorRequest.ChangeNode(node, action.number()));
  }

  @Test
  void aDrainLooksAtWhatIsLeftAndNotAtAllFiles() throws IOException {
    int files = 20_000;
    try (Harness harness = new Harness()) {
      Link link = filled(harness, 4, files, 4);
      long before = harness.coordinator.drainVisits();
      change(harness, link, 0, NodeAction.DRAIN);
      assertThat(heartbeat(harness, link, 0)).isTrue();
      assertThat(drain(harness, link, 0)).as("requests").isLessThan(files / 4 / 200 + 2);
      long used = harness.coordinator.drainVisits() - before;
      // all of them once, to find those of the node; these twice; one more for each request
      assertThat(used).isBetween((long) files, files + 3L * files / 4);
      for (int i = 0; i < 100; i++) {
        assertThat(heartbeat(harness, link, i % 4)).isFalse();
      }
      assertThat(harness.coordinator.drainVisits() - before).as("heartbeats").isEqualTo(used);
    }
  }

  @Test
  void theEmptiestNodesAreFilledFirst() throws IOException {
    try (Harness harness = new Harness()) {
      Link link = filled(harness, 4, 300, 2);
      assertThat(held(harness, link)).containsExactly(150L, 150L, 0L, 0L);
      change(harness, link, 0, NodeAction.DRAIN);
      drain(harness, link, 0);
      assertThat(held(harness, link)).containsExactly(0L, 150L, 75L, 75L);
      change(harness, link, 0, NodeAction.USE);
      change(harness, link, 2, NodeAction.DRAIN);
      drain(harness, link, 2);
      assertThat(held(harness, link)).containsExactly(75L, 150L, 0L, 75L);
    }
  }

  @Test
  void whatIsOpenStaysUntilItIsClosedAndIsFoundThen() throws IOException {
    try (Harness harness = new Harness()) {
      Link link = filled(harness, 4, 8, 2);
      Harness.Ranks one = harness.ranks(1);
      long open = one.open("f0", Harness.EXISTING).open();
      change(harness, link, 0, NodeAction.DRAIN);
      drain(harness, link, 0);
      assertThat(held(harness, link).getFirst()).isEqualTo(1);
      assertThat(heartbeat(harness, link, 0)).isFalse();
      one.closeFile(open);
      assertThat(heartbeat(harness, link, 0)).isTrue();
      drain(harness, link, 0);
      assertThat(held(harness, link).getFirst()).isZero();
    }
  }
}
