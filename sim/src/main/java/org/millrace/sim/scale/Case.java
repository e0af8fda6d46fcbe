package org.millrace.sim.scale;

import org.millrace.plan.Strategy;

/**
 * What one run does. Immutable.
 *
 * @param nodes how many there are, and as many ranks
 * @param sharing which bytes are whose
 * @param write whether they are written
 * @param strategy how
 */
public record Case(int nodes, Sharing sharing, boolean write, Strategy strategy) {

  /** Checks that there is a node. */
  public Case {
    if (nodes < 1 || strategy == Strategy.AUTO) {
      throw new IllegalArgumentException(nodes + " nodes, " + strategy);
    }
  }

  /** Bytes of the file. */
  public long bytes() {
    return (long) Sharing.RANK_BYTES * nodes;
  }

  /** What is done, without how and on how many. */
  public String task() {
    return (write ? "write " : "read ") + sharing.word();
  }

  @Override
  public String toString() {
    return task() + " by " + strategy.word() + " on " + nodes + " nodes";
  }
}
