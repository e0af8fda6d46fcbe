package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.millrace.disk.NodeMemory;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * What the coordinator says of starts to a node that starts: see {@code NodeMemory}.
 *
 * @param runs the last starts of the coordinator, this one first
 * @param epoch how often the node was started, as the coordinator remembers
 */
public record Starts(List<NodeMemory.Run> runs, long epoch) {

  /** Keeps a copy. */
  public Starts {
    runs = List.copyOf(runs);
  }

  static String text(List<NodeMemory.Run> runs) {
    return runs.stream()
        .map(run -> run.number() + "," + run.mark())
        .collect(Collectors.joining(";"));
  }

  /**
   * What the settings of a cluster say about a node.
   *
   * @throws MillraceException REFUSED if they were told to a user who may not run its nodes
   */
  public static Starts of(Map<String, String> settings, int node) throws MillraceException {
    if (!settings.containsKey(AdminRequests.RUNS_SETTING)) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "only the user who runs the coordinator may run nodes of its cluster: start node "
              + node
              + " as that user, between hosts with keys made by: millrace keys init --user=NAME");
    }
    String[] all = settings.getOrDefault(AdminRequests.RUNS_SETTING, "").split(";", -1);
    String[] epochs = settings.getOrDefault(AdminRequests.EPOCHS_SETTING, "").split(",", -1);
    try {
      List<NodeMemory.Run> runs = new ArrayList<>();
      for (String one : all) {
        String[] run = one.split(",", -1);
        runs.add(new NodeMemory.Run(Long.parseLong(run[0]), Long.parseLong(run[1])));
      }
      return new Starts(runs, Long.parseLong(epochs[node]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "the coordinator does not say how often it was started", e);
    }
  }
}
