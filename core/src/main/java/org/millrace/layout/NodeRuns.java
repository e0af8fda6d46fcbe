package org.millrace.layout;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * The nodes of a layout's strands, as runs of consecutive numbers: a file over thousands of nodes
 * usually has one or two runs, and takes no more memory and message bytes than a file over ten.
 *
 * <pre>
 *   nodes   5 6 7 0 1 2 3 4        runs   5 +3, 0 +5
 * </pre>
 *
 * <p>Immutable; safe for any number of threads.
 */
public final class NodeRuns extends AbstractList<Integer> implements RandomAccess {

  // constant after construction: the first node of each run, and where the run ends in the list
  private final int[] firsts;
  private final int[] ends;

  private NodeRuns(int[] firsts, int[] ends) {
    this.firsts = firsts;
    this.ends = ends;
  }

  /** The runs of a list, as long as they can be. */
  public static NodeRuns of(List<Integer> nodes) {
    if (nodes instanceof NodeRuns runs) {
      return runs;
    }
    Builder builder = new Builder();
    for (int node : nodes) {
      builder.add(node, 1);
    }
    return builder.build();
  }

  /** How many runs there are. */
  public int runs() {
    return firsts.length;
  }

  /** The first node of a run. */
  public int first(int run) {
    return firsts[run];
  }

  /** How many nodes a run has. */
  public int count(int run) {
    return run == 0 ? ends[0] : ends[run] - ends[run - 1];
  }

  @Override
  public int size() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  @Override
  public Integer get(int index) {
    if (index < 0 || index >= size()) {
      throw new IndexOutOfBoundsException("node " + index + " of a list of " + size());
    }
    int found = Arrays.binarySearch(ends, index + 1);
    int run = found < 0 ? -found - 1 : found;
    return firsts[run] + index - (ends[run] - count(run));
  }

  /** Runs are as long as they can be, so equal lists have equal runs. */
  @Override
  public boolean equals(Object other) {
    return other instanceof NodeRuns that
        ? Arrays.equals(firsts, that.firsts) && Arrays.equals(ends, that.ends)
        : super.equals(other);
  }

  /** As of any list. */
  @Override
  public int hashCode() {
    return super.hashCode();
  }

  /** Puts runs together, one after the other. Used by one thread. */
  public static final class Builder {

    private int[] firsts = new int[2];
    private int[] ends = new int[2];
    private int runs;

    /** No runs yet. */
    public Builder() {}

    /** Adds neighbouring nodes; what goes on where the last run ended belongs to it. */
    public Builder add(int first, int count) {
      if (first < 0 || count < 1 || first > Integer.MAX_VALUE - count) {
        throw new IllegalArgumentException(
            "node " + first + " is negative or not the first of " + count);
      }
      int end = runs == 0 ? 0 : ends[runs - 1];
      if (runs > 0 && first == firsts[runs - 1] + lastCount()) {
        ends[runs - 1] = Math.addExact(end, count);
        return this;
      }
      if (runs == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * runs);
        ends = Arrays.copyOf(ends, 2 * runs);
      }
      firsts[runs] = first;
      ends[runs] = Math.addExact(end, count);
      runs++;
      return this;
    }

    private int lastCount() {
      return ends[runs - 1] - (runs == 1 ? 0 : ends[runs - 2]);
    }

    /** The list. */
    public NodeRuns build() {
      return new NodeRuns(Arrays.copyOf(firsts, runs), Arrays.copyOf(ends, runs));
    }
  }
}
