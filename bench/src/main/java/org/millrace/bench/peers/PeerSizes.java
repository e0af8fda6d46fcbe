package org.millrace.bench.peers;

import java.util.List;
import org.millrace.bench.grid.GridSizes;
import org.millrace.bench.grid.TeamSizes;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.grid.Workloads;

/**
 * How large and how often. Immutable.
 *
 * @param grid Millrace and the yardsticks, for each round
 * @param segments of IOR's hard run
 * @param rounds how often everybody has a turn
 * @param laps laps of a peer in one turn
 * @param budgetMillis a peer's case begins no lap after so much time
 * @param limitMillis a peer's lap that takes longer is cut off
 */
record PeerSizes(
    GridSizes grid, int segments, int rounds, int laps, long budgetMillis, long limitMillis) {

  /** All workloads of so many ranks: of PASSION, Kotz and IOR. */
  List<Workload> workloads(int ranks) {
    return new TeamSizes(grid.extent(), grid.patternBytes(), segments).workloads(ranks);
  }

  /** About six minutes on two cores. Short calls of ours go on until they are warm, as in grids. */
  static final PeerSizes FULL =
      new PeerSizes(
          new GridSizes(
                  Workloads.PASSION_EXTENT,
                  Workloads.SMALL_BYTES,
                  2,
                  3,
                  4_000_000,
                  400_000_000,
                  2,
                  true)
              .goingOnFor(400_000_000),
          200,
          2,
          3,
          200,
          1_500);

  /** The same workloads once; numbers jump about more. */
  static final PeerSizes QUICK =
      new PeerSizes(
          new GridSizes(
              Workloads.PASSION_EXTENT,
              Workloads.SMALL_BYTES,
              2,
              3,
              2_000_000,
              200_000_000,
              1,
              true),
          200,
          1,
          1,
          50,
          800);

  /** For tests of the driver: the numbers mean nothing. */
  static final PeerSizes TINY =
      new PeerSizes(
          new GridSizes(64, 640 << 10, 1, 2, 100_000, 100_000_000, 1, false), 2, 2, 1, 50, 10_000);
}
