package org.millrace.examples;

/** An observer that looks on while {@link Heat} runs. Called by the thread of rank 0 only. */
public interface HeatWatch {

  /** The run begins, at the step that the plan says. */
  void begun(HeatPlan plan);

  /** One more step is done. */
  void stepped();

  /** The first {@code step} steps are in a checkpoint, durably. */
  void saved(int step);

  /** Whether to end early, with a checkpoint. */
  boolean wantsStop();
}
