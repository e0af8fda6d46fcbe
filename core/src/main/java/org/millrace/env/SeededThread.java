package org.millrace.env;

import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a {@link SeededEnv} and its scheduler, which passes each continuation to the
 * environment. Accessed as the environment's own fields are; outside threads call only {@link
 * #execute}.
 */
final class SeededThread implements Executor {

  // constant after construction
  final int number;
  private final SeededEnv env;

  @Nullable Thread thread; // set before it is started
  boolean abandoned;
  private volatile @Nullable Thread lookedAtBy;

  SeededThread(SeededEnv env, int number) {
    this.env = env;
    this.number = number;
  }

  Thread thread() {
    return Objects.requireNonNull(thread);
  }

  /**
   * Whether it stopped only because a thread outside of the environment is inside the same code of
   * the JDK, or frees what that code needs. Threads of one environment never meet there: none stops
   * inside the JDK's own critical sections.
   */
  boolean isHeldUpInTheJdk() {
    Thread mine = thread();
    if (SeededStates.isAtMonitor(mine)) {
      return true;
    }
    boolean mayBe =
        SeededStates.hasYielded(mine)
            || SeededStates.isTimedParked(mine)
            || SeededStates.isUnparked(mine);
    return mayBe && SeededStates.isCallOfTheJdk(stack());
  }

  /** Where it stands, while it does not run. */
  StackTraceElement[] stack() {
    lookedAtBy = // the JDK then hands a thread that can go on to its scheduler once more
        SeededStates.hasYielded(thread()) || SeededStates.isUnparked(thread())
            ? Thread.currentThread()
            : null;
    try {
      return thread().getStackTrace();
    } finally {
      lookedAtBy = null;
    }
  }

  @Override
  public void execute(Runnable stretch) {
    if (!abandoned && !Thread.currentThread().equals(lookedAtBy)) {
      env.onReady(this, stretch);
    }
  }
}
