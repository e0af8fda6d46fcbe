package org.millrace.bench.measure;

/**
 * How much a run moves and how often. Immutable.
 *
 * @param fileBytes size of the cached file and of the memory that plain copies go over
 * @param transferBytes bytes of one contiguous cached transfer
 * @param transfers contiguous transfers of one rank in one lap
 * @param smallReads small reads of one rank in one lap
 * @param coldBytes size of the file that is read and written cold
 * @param coldTransferBytes bytes of one cold transfer
 * @param elements elements of one strided access
 * @param appends small appends of one rank in one lap; of large ones a quarter
 * @param rounds synchronized rounds in one lap
 * @param warmUps laps that are not counted
 * @param laps laps that are counted
 * @param coldLaps cold laps, all counted, as there is nothing to warm up
 * @param dropsPageCache whether cold reads begin with emptying the system's page cache
 */
public record Sizes(
    long fileBytes,
    int transferBytes,
    int transfers,
    int smallReads,
    long coldBytes,
    int coldTransferBytes,
    int elements,
    int appends,
    int rounds,
    int warmUps,
    int laps,
    int coldLaps,
    boolean dropsPageCache) {

  /** What the issue asks for. */
  public static final Sizes FULL =
      new Sizes(
          512L << 20,
          1 << 20,
          1024,
          2_000_000,
          1L << 30,
          4 << 20,
          1 << 16,
          200_000,
          20_000,
          3,
          7,
          5,
          true);

  /** The same shape in a fraction of the time; numbers jump about more. */
  public static final Sizes QUICK =
      new Sizes(
          128L << 20,
          1 << 20,
          256,
          500_000,
          128L << 20,
          4 << 20,
          1 << 14,
          50_000,
          5_000,
          2,
          3,
          2,
          true);

  /** For tests of the driver: the numbers mean nothing. */
  public static final Sizes TINY =
      new Sizes(1 << 20, 1 << 17, 4, 500, 1 << 20, 1 << 18, 100, 40, 20, 1, 2, 1, false);
}
