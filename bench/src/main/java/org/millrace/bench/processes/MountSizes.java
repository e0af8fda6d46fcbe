package org.millrace.bench.processes;

/**
 * What {@link MountBenchmark} should do. Immutable.
 *
 * @param bytes of the file that is written and read
 * @param reads small reads
 * @param files that are made
 * @param warmUps laps that are not counted: the code of the mount becomes quick meanwhile
 * @param laps laps that are counted
 */
public record MountSizes(long bytes, int reads, int files, int warmUps, int laps) {

  /** Checks the bounds. */
  public MountSizes {
    check("bytes", bytes, MountBenchmark.PIECE, 1L << 40);
    check("reads", reads, 1, 1 << 24);
    check("files", files, MountBenchmark.MAKERS, 1 << 24);
    check("warm-ups", warmUps, 0, 100);
    check("laps", laps, 1, 100);
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s %s, must be in %s..%s".formatted(value, what, least, most));
    }
  }
}
