package org.millrace.sim.scale;

import org.millrace.plan.Strategy;

/**
 * What one run does. Immutable.
 *
 * @param nodes how many there are
 * @param ranks how many there are
 * @param sharing which bytes are whose
 * @param write whether they are written
 * @param strategy how
 */
public record Case(int nodes, int ranks, Sharing sharing, boolean write, Strategy strategy) {

  /** Checks that there is a node. */
  public Case {
    if (nodes < 1 || ranks < nodes || strategy == Strategy.AUTO) {
      throw new IllegalArgumentException(nodes + " nodes, " + ranks + " ranks, " + strategy);
    }
  }

  /** As many ranks as nodes. */
  public Case(int nodes, Sharing sharing, boolean write, Strategy strategy) {
    this(nodes, nodes, sharing, write, strategy);
  }

  /** Bytes of the file. */
  public long bytes() {
    return (long) Sharing.RANK_BYTES * ranks;
  }

  /** What is done, without how and on how many. */
  public String task() {
    String crowd = ranks == nodes ? "" : ", " + ranks / nodes + " ranks a node";
    return (write ? "write " : "read ") + sharing.word() + crowd;
  }

  @Override
  public String toString() {
    return task() + " by " + strategy.word() + " on " + nodes + " nodes";
  }
}
