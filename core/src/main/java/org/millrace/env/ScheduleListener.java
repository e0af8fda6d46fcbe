package org.millrace.env;

import java.util.function.Supplier;

/**
 * Receives the schedule of a {@link SeededEnv}, so that two schedules of one seed can be compared.
 * It is called by the thread that runs the environment and by the environment's own threads, one at
 * a time, and must not wait for any of them.
 */
public interface ScheduleListener {

  /** Hears nothing. */
  ScheduleListener NONE =
      new ScheduleListener() {
        @Override
        public void onReady(int thread, Thread by) {}

        @Override
        public void onStretch(
            long nanos, int number, String name, Supplier<StackTraceElement[]> stack) {}
      };

  /**
   * A thread can run.
   *
   * @param thread its number: threads count from 0 in the order of their making
   * @param by the thread that woke it, or the one that runs the environment for a timer
   */
  void onReady(int thread, Thread by);

  /**
   * A thread was chosen, ran and has stopped.
   *
   * @param nanos of the environment's clock
   * @param number of the thread
   * @param name of the thread
   * @param stack where it stopped; empty if it has ended
   */
  void onStretch(long nanos, int number, String name, Supplier<StackTraceElement[]> stack);
}
