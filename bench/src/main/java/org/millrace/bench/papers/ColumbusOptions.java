package org.millrace.bench.papers;

import java.nio.file.Path;
import org.millrace.bench.processes.ProcessesOptions;

/**
 * What {@link ColumbusBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param size how much of everything
 * @param ranks how many update records at once
 */
public record ColumbusOptions(Path folder, ProcessesOptions.Size size, int ranks) {

  private static final int MAX_RANKS = 64;

  /** Checks the bounds. */
  public ColumbusOptions {
    if (ranks < 1 || ranks > MAX_RANKS) {
      throw new IllegalArgumentException(ranks + " ranks, must be in 1.." + MAX_RANKS);
    }
  }
}
