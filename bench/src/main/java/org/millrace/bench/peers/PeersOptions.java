package org.millrace.bench.peers;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@link PeersBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param quick one round with few laps
 * @param ranks how many ranks, one run for each
 * @param only parts of names of suites or workloads; all if empty
 * @param cold read with nothing in memory, instead of everything
 * @param hints KEY=VALUE for the peers
 */
public record PeersOptions(
    Path folder,
    boolean quick,
    List<Integer> ranks,
    List<String> only,
    boolean cold,
    List<String> hints) {

  private static final int MAX_RANKS = 64;

  /** Checks the bounds. */
  public PeersOptions {
    ranks = List.copyOf(ranks);
    only = List.copyOf(only);
    hints = List.copyOf(hints);
    if (ranks.isEmpty() || ranks.stream().anyMatch(p -> p < 1 || p > MAX_RANKS)) {
      throw new IllegalArgumentException(ranks + " ranks: each must be in 1.." + MAX_RANKS);
    }
    for (String hint : hints) {
      if (!hint.matches("[^=\\s]+=\\S+")) {
        throw new IllegalArgumentException("a hint must be KEY=VALUE, was " + hint);
      }
    }
  }
}
