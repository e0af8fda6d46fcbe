package org.millrace.wire;

import java.io.IOException;
import org.millrace.env.Env;

/**
 * Decides how to wait: by spinning, which reacts within a fraction of a microsecond but keeps a
 * processor busy, or by sleeping, which costs both sides tens of microseconds. The decision depends
 * on what was observed:
 *
 * <ul>
 *   <li>Looking ends after {@link #MAX_NANOS}, about what sleeping and waking cost: so the wait is
 *       never more than twice as dear as the better choice.
 *   <li>Waits that were too long for it use up credit, waits that were short enough give credit,
 *       and without credit nothing is looked at twice. So a thread that waits for something slow
 *       sleeps at once.
 *   <li>Between looks the processor is offered to others. Where somebody takes it there are more
 *       threads than processors, and looking only keeps the one that is waited for from running:
 *       for some time all waits sleep.
 *   <li>With a single processor there is never a reason to look twice.
 * </ul>
 *
 * <p>For one thread at a time. Nothing to close.
 */
public final class Spin {

  /** Says whether what is waited for is there. */
  public interface Check {

    /** Whether waiting is over. */
    boolean isReady() throws IOException;
  }

  /** For how long a wait looks at most. */
  static final long MAX_NANOS = 30_000;

  /** A sleep that ends within this would have been a look of less than {@link #MAX_NANOS}. */
  private static final long SHORT_SLEEP_NANOS = 100_000;

  /** Looks before the first offer to others: most answers that are near come within these. */
  private static final int FIRST_LOOKS = 100;

  private static final int LOOKS = 20;

  /** An offer that no thread takes is over much sooner. */
  private static final long TAKEN_NANOS = 20_000;

  private static final int MAX_CREDIT = 8;

  /**
   * So many waits sleep at once when others need the processors; twice as many each time that they
   * still do. An offer that is taken may cost a whole time slice, milliseconds.
   */
  private static final int MIN_CROWDED_WAITS = 256;

  private static final int MAX_CROWDED_WAITS = 1 << 16;

  /** After so many looks that helped, with no offer taken in between, it is not crowded. */
  private static final int CALM = 4096;

  // Constant after construction.
  private final Env env;
  private final boolean alone;

  // Owned by the waiting thread.
  private int credit = MAX_CREDIT;
  private int crowdedWaits;
  private int nextCrowdedWaits = MIN_CROWDED_WAITS;
  private int successes;
  private long beganNanos;

  /** A policy for one place to wait at. */
  public Spin(Env env) {
    this(env, Runtime.getRuntime().availableProcessors());
  }

  Spin(Env env, int processors) {
    this.env = env;
    this.alone = processors == 1;
  }

  /**
   * Looks for as long as it seems worth it. Returns whether it was; if not, the caller goes to
   * sleep and says {@link #woke} afterwards.
   */
  public boolean await(Check check) throws IOException {
    if (check.isReady()) {
      return true;
    }
    beganNanos = env.nanoTime();
    if (alone || credit == 0) {
      return false;
    }
    if (crowdedWaits > 0) {
      crowdedWaits--;
      return false;
    }
    int looks = FIRST_LOOKS;
    while (true) {
      for (int i = 0; i < looks; i++) {
        if (check.isReady()) {
          succeed();
          return true;
        }
        Thread.onSpinWait();
      }
      looks = LOOKS;
      long now = env.nanoTime();
      if (now - beganNanos > MAX_NANOS) {
        credit--;
        return false;
      }
      Thread.yield();
      long back = env.nanoTime();
      if (back - now > TAKEN_NANOS) {
        crowdedWaits = nextCrowdedWaits;
        successes = 0;
        nextCrowdedWaits = Math.min(MAX_CROWDED_WAITS, 2 * nextCrowdedWaits);
        return check.isReady();
      }
    }
  }

  private void succeed() {
    credit = Math.min(MAX_CREDIT, credit + 1);
    successes++;
    if (successes == CALM) {
      successes = 0;
      nextCrowdedWaits = MIN_CROWDED_WAITS;
    }
  }

  /** Says that the sleep is over for which the last {@link #await} was not enough. */
  public void woke() {
    if (env.nanoTime() - beganNanos <= SHORT_SLEEP_NANOS) {
      credit = Math.min(MAX_CREDIT, credit + 1);
    } else {
      credit = Math.max(0, credit - 1);
    }
  }
}
