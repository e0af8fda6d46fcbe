package org.millrace.bench.grid;

import org.millrace.bench.measure.Bench;
import org.millrace.client.OpenOptions;
import org.millrace.plan.Hints;
import org.millrace.plan.Striping;

/**
 * How large the arrays of a grid are and how often it goes round. Immutable.
 *
 * @param extent rows and columns of PASSION's array
 * @param patternBytes size of the file of Kotz's patterns
 * @param warmUps laps that are not counted
 * @param laps laps that are counted
 * @param sampleNanos short calls are repeated to fill this time
 * @param budgetNanos what takes longer is measured in part, or once, or not at all
 * @param coldLaps cold laps, all counted
 * @param dropsPageCache whether cold reads begin with emptying the system's page cache
 * @param striping how the cluster's files are striped
 * @param enoughNanos rounds of all methods go on for about this time where calls are short: their
 *     code must be compiled first, and few laps of a short call say little
 */
public record GridSizes(
    int extent,
    long patternBytes,
    int warmUps,
    int laps,
    long sampleNanos,
    long budgetNanos,
    int coldLaps,
    boolean dropsPageCache,
    Striping striping,
    long enoughNanos) {

  /** So many laps, whatever they take; a strand on each node, all else as the cluster has it. */
  public GridSizes(
      int extent,
      long patternBytes,
      int warmUps,
      int laps,
      long sampleNanos,
      long budgetNanos,
      int coldLaps,
      boolean dropsPageCache) {
    this(
        extent,
        patternBytes,
        warmUps,
        laps,
        sampleNanos,
        budgetNanos,
        coldLaps,
        dropsPageCache,
        Striping.DEFAULT.withStrands(Bench.NODES),
        0);
  }

  /** What the papers had. */
  static final GridSizes FULL =
      new GridSizes(
              Workloads.PASSION_EXTENT,
              Workloads.SMALL_BYTES,
              2,
              5,
              4_000_000,
              2_000_000_000,
              3,
              true)
          .goingOnFor(800_000_000);

  /** The same with fewer laps; numbers jump about more. */
  static final GridSizes QUICK =
      new GridSizes(
          Workloads.PASSION_EXTENT, Workloads.SMALL_BYTES, 2, 3, 2_000_000, 500_000_000, 1, true);

  /** For tests of the driver: the numbers mean nothing. */
  static final GridSizes TINY = new GridSizes(64, 640 << 10, 1, 2, 100_000, 100_000_000, 1, false);

  /** The same with a file of another size for the patterns. */
  GridSizes withPatternBytes(long bytes) {
    return new GridSizes(
        extent,
        bytes,
        warmUps,
        laps,
        sampleNanos,
        budgetNanos,
        coldLaps,
        dropsPageCache,
        striping,
        enoughNanos);
  }

  /** The same, but rounds of short calls go on for about this time. */
  public GridSizes goingOnFor(long nanos) {
    return new GridSizes(
        extent,
        patternBytes,
        warmUps,
        laps,
        sampleNanos,
        budgetNanos,
        coldLaps,
        dropsPageCache,
        striping,
        nanos);
  }

  /** The same with other stripe units and blocks; 0 leaves them to the cluster. */
  GridSizes withLayout(long unitBytes, int blockBytes) {
    Striping other = striping.withUnitBytes(unitBytes).withBlockBytes(blockBytes);
    return new GridSizes(
        extent,
        patternBytes,
        warmUps,
        laps,
        sampleNanos,
        budgetNanos,
        coldLaps,
        dropsPageCache,
        other,
        enoughNanos);
  }

  /** Options that make a file of the cluster. */
  OpenOptions making() {
    return OpenOptions.create().withHints(Hints.DEFAULT.withStriping(striping));
  }
}
