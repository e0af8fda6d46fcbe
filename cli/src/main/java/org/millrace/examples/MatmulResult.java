package org.millrace.examples;

/** How a run of {@link Matmul} ended. */
public sealed interface MatmulResult {

  /**
   * The product is there and was compared with its formula.
   *
   * @param error the largest relative difference of an element from the formula
   * @param computing seconds in which ranks multiplied, the mean of all ranks
   * @param waiting seconds in which they waited for panels, the mean of all ranks
   * @param prefetched how many panels were asked for ahead of time, by all ranks
   * @param inTime how many of these had come when they were needed
   */
  record Done(double error, double computing, double waiting, long prefetched, long inTime)
      implements MatmulResult {}

  /** It was asked to end early. The arrays are whole files, but C is not yet the product. */
  record Stopped() implements MatmulResult {}
}
