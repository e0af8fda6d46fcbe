package org.millrace.env;

import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a {@link SeededEnv} and its scheduler, which hands each stretch to the environment.
 * Touched as the environment's own fields are; strangers call only {@link #execute}.
 */
final class SeededThread implements Executor {

  // constant after construction
  final int number;
  private final SeededEnv env;

  @Nullable Thread thread; // set before it is started
  boolean abandoned;
  private boolean isLookedAt;

  SeededThread(SeededEnv env, int number) {
    this.env = env;
    this.number = number;
  }

  Thread thread() {
    return Objects.requireNonNull(thread);
  }

  /**
   * Whether it stopped only because a thread of another environment is inside the same code of the
   * JDK. Threads of one environment never meet there: none stops inside the JDK's own critical
   * sections.
   */
  boolean isHeldUpInTheJdk() {
    return SeededStates.isAtMonitor(thread())
        || (SeededStates.hasYielded(thread()) && SeededStates.isYieldOfTheJdk(stack()));
  }

  /** Where it stands, while it does not run. */
  StackTraceElement[] stack() {
    isLookedAt = SeededStates.hasYielded(thread()); // the JDK then asks for a second run of it
    try {
      return thread().getStackTrace();
    } finally {
      isLookedAt = false;
    }
  }

  @Override
  public void execute(Runnable stretch) {
    if (!abandoned && !isLookedAt) {
      env.onReady(this, stretch);
    }
  }
}
