package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeHolding;
import org.millrace.protocol.NodeUse;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.StrandDuty;
import org.millrace.protocol.StrandId;

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
      CoordinatorReply.Opened made = one.open("f" + i, onNode(i % on));
      harness.call(root, new CoordinatorRequest.Confirm(made.file()));
      one.closeFile(made.open());
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

  private static final int STEPS_OF_A_DRAIN = 12;

  /** What a node does in a drain, one request after the other, with a restart at one of them. */
  private static Harness drainWithRestart(Harness begun, int crashBefore) throws IOException {
    Harness harness = begun;
    Link link = filled(harness, 3, 8, 2);
    change(harness, link, 0, NodeAction.DRAIN);
    int step = 0;
    List<StrandDuty> duties = List.of();
    do {
      if (step++ == crashBefore) {
        harness = restarted(harness);
        link = registered(harness, 3);
        change(harness, link, 0, NodeAction.DRAIN); // the command is repeated, too
      }
      duties = duties(harness, link, 0);
      for (StrandDuty duty : duties) {
        var move = new CoordinatorRequest.MoveStrand(duty.strand(), 0, duty.node());
        harness.call(link, move);
        if (step++ == crashBefore) {
          harness = restarted(harness);
          link = registered(harness, 3);
          harness.call(link, move); // its answer was lost
        }
      }
    } while (!duties.isEmpty());
    return harness;
  }

  private static Link registered(Harness harness, int nodes) throws IOException {
    Link root = harness.link(Harness.ROOT);
    for (int node = 0; node < nodes; node++) {
      harness.call(root, new CoordinatorRequest.Register(node, "unix:/" + node, 2));
    }
    return root;
  }

  /** The power fails, and another coordinator finds what is left. */
  private static Harness restarted(Harness before) throws IOException {
    MemoryDisk left = ((MemoryDisk) before.disk).crash();
    before.coordinator.abandon();
    return new Harness(before.env, left);
  }

  @Test
  void aDrainGoesOnAfterARestartOfTheCoordinatorAtAnyStep() throws IOException {
    for (int step = 0; step < STEPS_OF_A_DRAIN; step++) {
      try (Harness harness = drainWithRestart(new Harness(), step)) {
        Link link = harness.link(Harness.ROOT);
        assertThat(held(harness, link)).as("step %d", step).containsExactly(0L, 4L, 4L, 0L);
      }
    }
  }

  @Test
  void aReplacementGoesOnAfterARestartOfTheCoordinatorAtAnyStep() throws IOException {
    for (int crash = 0; crash < 3; crash++) {
      Harness harness = new Harness();
      filled(harness, 3, 8, 2).close(); // all are down now
      change(harness, harness.link(Harness.ROOT), 1, NodeAction.REPLACE);
      if (crash == 0) {
        harness = restarted(harness);
        change(harness, harness.link(Harness.ROOT), 1, NodeAction.REPLACE);
      }
      assertThat(lost(harness)).as("crash %d", crash).hasSize(4);
      if (crash == 1) {
        harness = restarted(harness);
        assertThat(lost(harness)).hasSize(4);
      }
      Link node = harness.link(Harness.ROOT);
      harness.call(node, new CoordinatorRequest.Register(1, "unix:/1", 1));
      if (crash == 2) {
        harness = restarted(harness);
        node = harness.link(Harness.ROOT);
      }
      NodeHolding holding =
          ((CoordinatorReply.Holdings) harness.call(node, new CoordinatorRequest.AskNodes()))
              .nodes()
              .get(1);
      assertThat(holding.isFor()).as("crash %d", crash).isEqualTo(NodeUse.USED);
      assertThat(holding.lost()).isEqualTo(4);
      harness.close();
    }
  }

  private static List<StrandId> lost(Harness harness) throws IOException {
    var asked = new CoordinatorRequest.AskLost(1, 0);
    return ((CoordinatorReply.Rebuilds) harness.call(harness.link(Harness.ROOT), asked)).strands();
  }
}
