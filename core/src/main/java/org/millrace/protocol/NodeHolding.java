package org.millrace.protocol;

/**
 * What the coordinator knows of a node's strands. Immutable.
 *
 * @param node the node
 * @param use what it is for, as the number of a {@link NodeUse}
 * @param strands how many strands are on it, copies among them
 * @param alone of these, those that no other node has in sync
 * @param missing copies that should be on it, and are not in sync
 * @param lost strands that were on it, and are lost
 * @param open of a node that is drained: strands that stay until their files are closed
 */
public record NodeHolding(
    int node, int use, long strands, long alone, long missing, long lost, long open) {

  /** What it is for. */
  public NodeUse isFor() {
    return NodeUse.of(use);
  }
}
