package org.millrace.examples;

/** An observer that looks on while {@link Matmul} runs. Called by the thread of rank 0 only. */
public interface MatmulWatch {

  /** The run begins and has so many steps. */
  void begun(int steps);

  /** One more step is done. */
  void stepped();

  /** Whether to end early. */
  boolean wantsStop();
}
