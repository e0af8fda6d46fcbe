package org.millrace.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.layout.FileEntry;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeHolding;

/**
 * Requests of administrators about nodes: which there are, what they hold, and changes of that.
 *
 * <p>Safe for use by several threads. Lives as long as its cluster; nothing to close.
 */
public final class NodeAdministration {

  private final Administration administration;

  NodeAdministration(Administration administration) {
    this.administration = administration;
  }

  /**
   * A node.
   *
   * @param fact where it is
   * @param holding what it holds
   */
  public record State(NodeFact fact, NodeHolding holding) {}

  /** All nodes, by number. */
  public List<State> list() throws IOException {
    List<NodeHolding> holdings =
        ((CoordinatorReply.Holdings) administration.ask(new CoordinatorRequest.AskNodes())).nodes();
    List<State> all = new ArrayList<>();
    for (NodeFact fact : administration.facts().nodes()) {
      if (fact.number() < holdings.size()) { // else it was added in between
        all.add(new State(fact, holdings.get(fact.number())));
      }
    }
    return all;
  }

  /** Changes what a node is for, durably; returns its number. */
  public int change(int node, NodeAction action) throws IOException {
    var request = new CoordinatorRequest.ChangeNode(node, action.number());
    return Math.toIntExact(((CoordinatorReply.Value) administration.ask(request)).value());
  }

  /** Files of which strands, or copies of strands, are missing now. */
  public List<FileEntry> incomplete() throws IOException {
    return ((CoordinatorReply.Files) administration.ask(new CoordinatorRequest.AskFiles()))
        .files().stream().filter(file -> file.missing() > 0).toList();
  }
}
