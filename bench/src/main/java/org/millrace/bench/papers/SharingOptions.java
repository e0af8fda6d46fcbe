package org.millrace.bench.papers;

import java.nio.file.Path;
import org.millrace.bench.measure.Processors;
import org.millrace.bench.processes.ProcessesOptions;

/**
 * What {@link SharingBenchmark} should do. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param size how much of everything
 * @param ranks how many processes compute; the paper had six
 * @param bound whether ranks are bound to processors that the client may not use
 */
public record SharingOptions(Path folder, ProcessesOptions.Size size, int ranks, boolean bound) {

  private static final int MAX_RANKS = 64;

  /** Checks the bounds. */
  public SharingOptions {
    if (ranks < 1 || ranks > MAX_RANKS) {
      throw new IllegalArgumentException(ranks + " ranks, must be in 1.." + MAX_RANKS);
    }
  }

  /** Whether binding so many ranks is possible, and needed to keep the client from their time. */
  public static boolean wantsBinding(int ranks) {
    return Runtime.getRuntime().availableProcessors() < processes(ranks) && Processors.canBind();
  }

  /** The ranks, the node of the control, and the client; only one of the last two is ever busy. */
  static int processes(int ranks) {
    return ranks + 2;
  }
}
