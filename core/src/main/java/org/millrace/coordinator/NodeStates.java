package org.millrace.coordinator;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What the settings of a cluster say nodes are for. Stateless. */
public final class NodeStates {

  private NodeStates() {}

  private static List<Integer> of(Map<String, String> settings, char use) {
    String said = settings.getOrDefault(NodeRequests.USES_SETTING, "");
    return IntStream.range(0, said.length())
        .filter(node -> said.charAt(node) == use)
        .boxed()
        .toList();
  }

  /** Whether a node with an empty disk may take the place of one that is lost. */
  public static boolean isReplaced(Map<String, String> settings, int node) {
    return of(settings, 'l').contains(node);
  }

  /** Nodes that were removed for good. */
  public static List<Integer> removed(Map<String, String> settings) {
    return of(settings, 'r');
  }
}
