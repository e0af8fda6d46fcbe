package org.millrace.protocol;

/**
 * What the coordinator knows of a node.
 *
 * @param number the node's
 * @param address where it listens, or last listened; empty if it was never here
 * @param up whether its session lives
 * @param state in words: up, or since when and why not
 */
public record NodeFact(int number, String address, boolean up, String state) {

  private static final String REMOVED = "removed";
  private static final String EXPECTED = "expected back after the coordinator's restart";

  /** The same of a node that will register soon, if it still runs. */
  public NodeFact expected() {
    return new NodeFact(number, address, up, EXPECTED);
  }

  /** The same of a node that was removed from the cluster. */
  public NodeFact removed() {
    return new NodeFact(number, "", false, REMOVED);
  }

  /** Whether it was removed from the cluster. */
  public boolean isRemoved() {
    return state.equals(REMOVED);
  }

  /** Whether it will register soon, if it still runs. */
  public boolean isExpected() {
    return state.equals(EXPECTED);
  }
}
