package org.millrace.coordinator;

import java.util.Map;
import org.millrace.error.MillraceException;

/**
 * Stores the known places of the nodes' directories, so that no second one is made or used instead.
 * Called with the coordinator's lock held.
 */
public interface NodePlaces {

  /** Nothing is kept: all nodes are where the coordinator is. */
  NodePlaces NONE =
      new NodePlaces() {
        @Override
        public void onRegistered(int node) {}

        @Override
        public Map<String, String> asSettings() {
          return Map.of();
        }
      };

  /**
   * A node registers. What is new in that is durable when this returns, which it is rarely: a
   * node's directory seldom moves.
   *
   * @throws MillraceException NODE if this cannot be the node that was known
   */
  void onRegistered(int node) throws MillraceException;

  /** There is one more node, which has no directory yet; durable when this returns. */
  default void onAdded(int node) throws MillraceException {}

  /** A node is gone for good; durable when this returns. */
  default void onRemoved(int node) throws MillraceException {}

  /** What is known, for requests about the cluster. */
  Map<String, String> asSettings();
}
