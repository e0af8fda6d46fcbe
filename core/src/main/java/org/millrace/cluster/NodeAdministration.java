package org.millrace.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.layout.FileEntry;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeHolding;
import org.millrace.protocol.Status;

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
    return files().stream().filter(file -> file.missing() > 0).toList();
  }

  private List<FileEntry> files() throws IOException {
    return ((CoordinatorReply.Files) administration.ask(new CoordinatorRequest.AskFiles())).files();
  }

  /**
   * A file without copies that stays on a node which is drained, because it is open.
   *
   * @param path its name
   * @param openBy the groups that have it open, for people
   */
  public record Staying(String path, List<String> openBy) {}

  /** Files that stay on a node until they are closed, ordered by name. */
  public List<Staying> staying(int node) throws IOException {
    Status status = administration.status();
    Map<String, List<String>> openBy = new TreeMap<>();
    for (Status.OfOpen open : status.opens()) {
      openBy.computeIfAbsent(open.path(), _ -> new ArrayList<>()).add(shown(status, open.group()));
    }
    List<Staying> staying = new ArrayList<>();
    for (FileEntry file : files()) {
      boolean here =
          file.copies() == 1 && file.layout().filter(at -> at.nodes().contains(node)).isPresent();
      if (here && openBy.containsKey(file.path())) {
        staying.add(new Staying(file.path(), openBy.getOrDefault(file.path(), List.of())));
      }
    }
    staying.sort(Comparator.comparing(Staying::path));
    return staying;
  }

  private static String shown(Status status, long group) {
    return status.groups().stream()
        .filter(one -> one.group() == group)
        .map(
            one ->
                "group %s of %s, %s ranks%s"
                    .formatted(
                        group, one.user(), one.size(), one.job().isEmpty() ? "" : ", " + one.job()))
        .findFirst()
        .orElse("group " + group);
  }
}
