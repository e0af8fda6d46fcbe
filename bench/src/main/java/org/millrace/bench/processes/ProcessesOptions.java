package org.millrace.bench.processes;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@link ProcessesBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param size how much of everything
 * @param only names of sections; all if empty
 * @param workloads parts of names of workloads of collective calls; those of the size if empty
 * @param everyWorkload all workloads that {@code bench peers} has
 * @param ranks how many processes make collective calls, one run for each
 * @param nodes how many of them are nodes, too; 0 for all
 * @param strategies whether collective calls are made by every strategy, too
 */
public record ProcessesOptions(
    Path folder,
    Size size,
    List<String> only,
    List<String> workloads,
    boolean everyWorkload,
    List<Integer> ranks,
    int nodes,
    boolean strategies) {

  private static final int MAX_RANKS = 64;

  /** How much of everything. */
  public enum Size {
    /** Minutes. */
    FULL,
    /** Less than one, for a first look. */
    QUICK,
    /** For tests: the numbers mean nothing. */
    TINY
  }

  /** Checks the bounds and the names. */
  public ProcessesOptions {
    only = List.copyOf(only);
    workloads = List.copyOf(workloads);
    ranks = List.copyOf(ranks);
    if (ranks.isEmpty() || ranks.stream().anyMatch(p -> p < 1 || p > MAX_RANKS)) {
      throw new IllegalArgumentException(ranks + " ranks: each must be in 1.." + MAX_RANKS);
    }
    if (nodes < 0 || nodes > MAX_RANKS) {
      throw new IllegalArgumentException(nodes + " nodes, must be in 0.." + MAX_RANKS);
    }
    for (String name : only) {
      if (!ProcessesBenchmark.names().contains(name)) {
        throw new IllegalArgumentException(
            "there is no section "
                + name
                + ", but "
                + String.join(", ", ProcessesBenchmark.names()));
      }
    }
  }
}
