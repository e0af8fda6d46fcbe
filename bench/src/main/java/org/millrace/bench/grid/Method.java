package org.millrace.bench.grid;

import java.io.IOException;

/** One way to carry out a workload; a column of the table. Each says whether ranks share it. */
public interface Method {

  /** As it is printed. */
  String name();

  /** Whether it works on the plain file, by rank 0 for all, and not on the cluster's. */
  boolean isPlain();

  /** Whether it may take so long that a part is tried first. */
  default boolean isSlow() {
    return false;
  }

  /**
   * Whether its writes end on the disk: then the next write finds blocks that are clean, and has
   * more to do than one after a write that stays in memory.
   */
  default boolean leavesBlocksClean() {
    return false;
  }

  /**
   * Does it, on the rank's own thread.
   *
   * @param rank whose part; 0 for all where it is plain
   * @return the share of the work that was done, where its time was up before: 1 is all
   */
  double run(int rank, Call call) throws IOException;

  /**
   * What is asked of a method.
   *
   * @param write or read
   * @param complement which of the two contents is written
   * @param times how often
   * @param share of each rank's bytes that is wanted, from its first on
   */
  record Call(boolean write, boolean complement, int times, double share) {

    /** So many of a rank's bytes, in whole words. */
    long bytes(long all) {
      return share >= 1 ? all : (long) (all * share) / Long.BYTES * Long.BYTES;
    }
  }
}
