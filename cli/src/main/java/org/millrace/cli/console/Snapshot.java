package org.millrace.cli.console;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.cli.cluster.ClusterState;
import org.millrace.cluster.NodeAdministration;
import org.millrace.protocol.CoordinatorReply.Calls;
import org.millrace.protocol.NodeFact;

/**
 * What a console knows of a cluster at one moment. Immutable.
 *
 * @param before the state before the last one, for rates
 * @param now the last state that the cluster told
 * @param holdings what the nodes hold, some seconds old at most; none if nobody may know
 * @param calls what ranks have told of their collective calls
 * @param silence why the cluster does not answer now; empty if it does
 */
record Snapshot(
    Optional<ClusterState> before,
    Optional<ClusterState> now,
    List<NodeAdministration.State> holdings,
    Calls calls,
    String silence) {

  /** Before the first answer. */
  static final Snapshot NONE =
      new Snapshot(
          Optional.empty(),
          Optional.empty(),
          List.of(),
          new Calls(Map.of(), List.of()),
          "it was not asked yet");

  Snapshot {
    holdings = List.copyOf(holdings);
  }

  /** The next one. */
  Snapshot then(ClusterState next, Calls told) {
    return new Snapshot(now, Optional.of(next), holdings, told, "");
  }

  /** The same with other holdings. */
  Snapshot with(List<NodeAdministration.State> others) {
    return new Snapshot(before, now, others, calls, silence);
  }

  /** The same when the cluster has stopped to answer. */
  Snapshot silent(String why) {
    return new Snapshot(before, now, holdings, calls, why.isEmpty() ? "it is silent" : why);
  }

  /** Whether the coordinator answers and every node is up that belongs to the cluster. */
  boolean isReady() {
    return silence.isEmpty()
        && now.isPresent()
        && now.get().facts().nodes().stream()
            .filter(node -> !node.isRemoved())
            .allMatch(node -> isUp(now.get(), node));
  }

  static boolean isUp(ClusterState state, NodeFact node) {
    return state.word(node).equals("up");
  }

  /** Copies that should be on some node and are not in sync. */
  long missingCopies() {
    return holdings.stream().mapToLong(one -> one.holding().missing()).sum();
  }
}
