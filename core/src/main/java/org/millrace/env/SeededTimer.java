package org.millrace.env;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A time for which a thread of a {@link SeededEnv} waits, or at which one is started. Ordered by
 * time, then by creation. Accessed as the environment's own fields are.
 */
final class SeededTimer implements Comparable<SeededTimer> {

  final long at;
  final @Nullable Thread thread;
  private final Runnable action;
  private final long number;
  boolean fired;

  /** Wakes a thread, by an unpark or by an interrupt. */
  SeededTimer(long at, long number, Thread thread, boolean interrupts) {
    this.at = at;
    this.number = number;
    this.thread = thread;
    this.action = interrupts ? thread::interrupt : () -> LockSupport.unpark(thread);
  }

  /** Does something that no thread waits for. */
  SeededTimer(long at, long number, Runnable action) {
    this.at = at;
    this.number = number;
    this.thread = null;
    this.action = action;
  }

  void fire() {
    fired = true;
    action.run();
  }

  @Override
  public int compareTo(SeededTimer other) {
    return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
  }
}
