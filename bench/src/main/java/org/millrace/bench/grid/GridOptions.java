package org.millrace.bench.grid;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@link StrategyGrid} should do. Immutable.
 *
 * @param suite which workloads
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param quick fewer laps, for a first look
 * @param ranks how many ranks, one run for each
 * @param only parts of names of workloads; all if empty
 * @param fileBytes size of the file; 0 for what the papers had. Only for {@link Suite#PATTERNS}
 * @param cold whether to read cold, too, where that is possible
 * @param unitBytes stripe unit of the cluster's file; 0 for the usual one
 * @param blockBytes its block size; 0 for the usual one
 */
public record GridOptions(
    Suite suite,
    Path folder,
    boolean quick,
    List<Integer> ranks,
    List<String> only,
    long fileBytes,
    boolean cold,
    long unitBytes,
    int blockBytes) {

  private static final int MAX_RANKS = 256;

  /** Which workloads. */
  public enum Suite {
    /** Sections of PASSION's array. */
    PASSION,
    /** Kotz's distributions. */
    PATTERNS,
    /** IO500's hard run, in one collective call. */
    IOR_HARD;

    /** As it is printed. */
    public String word() {
      return this == IOR_HARD ? "ior-hard" : name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** Checks the bounds. */
  public GridOptions {
    ranks = List.copyOf(ranks);
    only = List.copyOf(only);
    if (ranks.isEmpty() || ranks.stream().anyMatch(p -> p < 1 || p > MAX_RANKS)) {
      throw new IllegalArgumentException(ranks + " ranks: each must be in 1.." + MAX_RANKS);
    }
    if (fileBytes < 0 || (fileBytes > 0 && suite != Suite.PATTERNS)) {
      throw new IllegalArgumentException("a file of " + fileBytes + " bytes for " + suite.word());
    }
    if (fileBytes != 0 && fileBytes < 64 << 10) {
      throw new IllegalArgumentException(
          "a file of " + fileBytes + " bytes: must have at least 65536");
    }
  }
}
