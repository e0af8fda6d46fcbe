package org.millrace.message;

import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.env.Env;

/**
 * The requests that an endpoint is handling at the moment. Its acceptor waits for them before it
 * sends BYE, so that senders learn what the handlers have done. A request that waits for others, as
 * in a meeting, is not being handled.
 *
 * <p>Safe for use by several threads. Nothing to close.
 */
final class ActiveRequests {

  private static final long LOOK_NANOS = 1_000_000;

  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean ended;

  /** Begins to handle something; false if nothing is handled any more. */
  boolean tryEnter() {
    count.incrementAndGet(); // before the look: either this thread sees the end, or the end sees it
    if (ended) {
      count.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Ends what {@link #tryEnter} began. */
  void exit() {
    count.decrementAndGet();
  }

  /** From now on nothing is begun. */
  void end() {
    ended = true;
  }

  /** Waits until nothing is being handled, at most until {@code deadlineNanos}. */
  void awaitNone(Env env, long deadlineNanos) throws InterruptedException {
    while (count.get() > 0 && env.nanoTime() < deadlineNanos) {
      env.sleep(LOOK_NANOS);
    }
  }
}
