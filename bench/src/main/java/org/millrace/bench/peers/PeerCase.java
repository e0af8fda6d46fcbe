package org.millrace.bench.peers;

import java.util.Locale;

/**
 * One way to move one workload through MPI-IO, and how long it may take. Immutable.
 *
 * @param workload index of the workload in its list
 * @param write write, not read
 * @param collective all ranks in one call that waits for all, not each on its own
 * @param laps laps that count
 * @param budgetMillis no lap begins after so much time
 * @param limitMillis a lap that takes longer is cut off, with the whole program
 */
public record PeerCase(
    int workload,
    boolean write,
    boolean collective,
    int laps,
    long budgetMillis,
    long limitMillis) {

  public PeerCase {
    if (workload < 0 || laps < 1 || limitMillis < 1) {
      throw new IllegalArgumentException(
          "workload %s, %s laps, limit %s ms".formatted(workload, laps, limitMillis));
    }
  }

  String op() {
    return write ? "write" : "read";
  }

  String method() {
    return collective ? "collective" : "independent";
  }

  /** The words by which the C program names it. */
  String key() {
    return String.format(Locale.ROOT, "%s %s %s", workload, op(), method());
  }
}
