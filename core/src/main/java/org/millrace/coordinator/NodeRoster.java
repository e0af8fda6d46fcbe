package org.millrace.coordinator;

import java.util.List;
import java.util.stream.IntStream;
import org.millrace.protocol.NodeUse;

/**
 * Which nodes a cluster has, and what they are for: those that it began with, and what the names
 * say has changed since. Guarded by the coordinator's lock.
 */
record NodeRoster(CoordinatorOptions options, Names names) {

  /** How many numbers of nodes were given. */
  int count() {
    return Math.max(options.nodeCount(), names.leastNodes());
  }

  NodeUse use(int node) {
    return names.use(node);
  }

  /** Nodes that new files use. */
  List<Integer> used() {
    return IntStream.range(0, count())
        .filter(node -> use(node) == NodeUse.USED || use(node) == NodeUse.REPLACED)
        .boxed()
        .toList();
  }

  /** Nodes that were not removed. */
  List<Integer> present() {
    return IntStream.range(0, count())
        .filter(node -> use(node) != NodeUse.REMOVED)
        .boxed()
        .toList();
  }

  /** What each node is for, by number. */
  List<NodeUse> uses() {
    return IntStream.range(0, count()).mapToObj(this::use).toList();
  }

  /** Whether some node is drained. */
  boolean isDraining() {
    return uses().contains(NodeUse.DRAINING);
  }
}
