package org.millrace.coordinator;

import java.util.Map;
import org.millrace.disk.NodeMemory;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * What the coordinator says of starts to a node that starts: see {@code NodeMemory}.
 *
 * @param run which start of the coordinator this is
 * @param epoch how often the node was started, as the coordinator remembers
 */
public record Starts(NodeMemory.Run run, long epoch) {

  static String text(NodeMemory.Run run) {
    return run.number() + "," + run.mark();
  }

  /** What the settings of a cluster say about a node. */
  public static Starts of(Map<String, String> settings, int node) throws MillraceException {
    String[] run = settings.getOrDefault(AdminRequests.RUN_SETTING, "").split(",", -1);
    String[] epochs = settings.getOrDefault(AdminRequests.EPOCHS_SETTING, "").split(",", -1);
    try {
      return new Starts(
          new NodeMemory.Run(Long.parseLong(run[0]), Long.parseLong(run[1])),
          Long.parseLong(epochs[node]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "the coordinator does not say how often it was started", e);
    }
  }
}
