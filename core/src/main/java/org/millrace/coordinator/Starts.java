package org.millrace.coordinator;

import java.util.Map;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * What the coordinator says of starts to a node that starts: see {@code NodeMemory}.
 *
 * @param run how often the coordinator was started
 * @param epoch how often the node was, as the coordinator remembers
 */
public record Starts(long run, long epoch) {

  /** What the settings of a cluster say about a node. */
  public static Starts of(Map<String, String> settings, int node) throws MillraceException {
    String run = settings.getOrDefault(AdminRequests.RUN_SETTING, "");
    String[] epochs = settings.getOrDefault(AdminRequests.EPOCHS_SETTING, "").split(",", -1);
    try {
      return new Starts(Long.parseLong(run), Long.parseLong(epochs[node]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "the coordinator does not say how often it was started", e);
    }
  }
}
