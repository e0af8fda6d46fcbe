package org.millrace.bench.papers;

import org.millrace.bench.processes.ProcessesOptions;

/**
 * How much {@link SharingBenchmark} computes and moves. Immutable.
 *
 * @param iterations of the computation, a barrier after each
 * @param extent equations in a system
 * @param systems that each rank solves in an iteration
 * @param fileBytes of the file that is streamed; a multiple of a mebibyte
 * @param cacheBytes of each node, less than the file
 * @param warmUps iterations of each case that are not counted
 * @param rounds how often each case has a turn
 */
record SharingSizes(
    int iterations,
    int extent,
    int systems,
    long fileBytes,
    long cacheBytes,
    int warmUps,
    int rounds) {

  /** A few minutes on two cores; file, requests and iterations as in the paper. */
  static final SharingSizes FULL = new SharingSizes(15, 500, 4, 400L << 20, 64L << 20, 1, 3);

  /** Less than one. */
  static final SharingSizes QUICK = new SharingSizes(15, 300, 5, 64L << 20, 16L << 20, 1, 1);

  /** For tests: the numbers mean nothing. */
  static final SharingSizes TINY = new SharingSizes(3, 40, 1, 2L << 20, 1L << 20, 0, 1);

  /** Room for two files with their checksums, journals and what processes print. */
  long diskBytes() {
    return 2 * fileBytes + fileBytes / 16 + (16L << 20);
  }

  static SharingSizes of(ProcessesOptions.Size size) {
    return switch (size) {
      case FULL -> FULL;
      case QUICK -> QUICK;
      case TINY -> TINY;
    };
  }
}
