package org.millrace.bench.processes;

import java.nio.file.Path;

/**
 * What {@link CopyBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param bytes of the file that is copied
 * @param warmUps laps that are not counted: the nodes' code becomes quick meanwhile
 * @param laps laps that are counted
 * @param nodes of the cluster
 * @param small the small files that are copied
 */
public record CopyOptions(
    Path folder, long bytes, int warmUps, int laps, int nodes, SmallSet small) {

  /**
   * Small files.
   *
   * @param files how many
   * @param bytes of each
   */
  public record SmallSet(int files, int bytes) {

    /** Checks the bounds. */
    public SmallSet {
      check("files", files, 1, 1_000_000);
      check("bytes of a small file", bytes, 0, 1 << 30);
    }
  }

  private static final int MAX_NODES = 64;

  /** Checks the bounds. */
  public CopyOptions {
    check("bytes", bytes, 1, 1L << 40);
    check("laps", laps, 1, 100);
    check("warm-ups", warmUps, 0, 100);
    check("nodes", nodes, 1, MAX_NODES);
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s %s, must be in %s..%s".formatted(value, what, least, most));
    }
  }
}
