package org.millrace.testing;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for what other threads or processes are about to do, and fails by name if they do not. The
 * limit is far above what any machine needs: it turns a hang into a failure and measures nothing.
 * Stateless.
 */
public final class Eventually {

  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long BETWEEN_LOOKS_NANOS = 100_000;

  private Eventually() {}

  /** What is waited for. */
  public interface Condition {
    /** Looks once. */
    boolean holds() throws IOException;
  }

  /**
   * Returns as soon as {@code condition} holds.
   *
   * @param what the condition in words, for the failure
   */
  public static void holds(String what, Condition condition) throws IOException {
    holds(what, condition, LIMIT_NANOS);
  }

  static void holds(String what, Condition condition, long limitNanos) throws IOException {
    long begun = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - begun > limitNanos) {
        throw new AssertionError("waited in vain until " + what);
      }
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
    }
  }
}
