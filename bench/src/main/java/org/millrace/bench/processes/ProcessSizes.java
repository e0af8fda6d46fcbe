package org.millrace.bench.processes;

import org.millrace.bench.grid.TeamSizes;

/**
 * How much {@link ProcessesBenchmark} moves and how often. Immutable.
 *
 * @param fileBytes of the file that one rank reads and writes; a multiple of all requests
 * @param warmUps laps that are not counted
 * @param laps laps that are counted
 * @param lapMillis no request of a lap begins after so long
 * @param streamBytes that a plain socket moves in a lap
 * @param team workloads of the collective calls
 * @param rounds how often Millrace and each peer have a turn
 * @param collectiveLaps laps in a turn
 * @param budgetMillis no lap of a turn begins after so long
 * @param limitMillis a peer's lap that takes longer is cut off
 * @param appends records of each rank in a lap
 */
record ProcessSizes(
    long fileBytes,
    int warmUps,
    int laps,
    long lapMillis,
    long streamBytes,
    TeamSizes team,
    int rounds,
    int collectiveLaps,
    long budgetMillis,
    long limitMillis,
    int appends) {

  /** A few minutes on two cores. */
  static final ProcessSizes FULL =
      new ProcessSizes(64L << 20, 4, 7, 150, 256L << 20, TeamSizes.FULL, 2, 4, 250, 1500, 10_000);

  /** The same with fewer laps; numbers jump about more. */
  static final ProcessSizes QUICK =
      new ProcessSizes(32L << 20, 2, 3, 60, 64L << 20, TeamSizes.FULL, 1, 2, 100, 800, 2_000);

  /** For tests: the numbers mean nothing. */
  static final ProcessSizes TINY =
      new ProcessSizes(16L << 20, 0, 1, 5, 4L << 20, TeamSizes.TINY, 1, 1, 20, 10_000, 20);
}
