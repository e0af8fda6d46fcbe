package org.millrace.node;

import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;

/**
 * What time it is for the coordinator, as it says with every heartbeat, and by this process's
 * steady clock in between. Capabilities are issued and checked on this time: a node whose own date
 * is wrong, or is set while it runs, refuses nobody and lets nobody in for it. Files are modified
 * at times on it, too. Until the coordinator has said something, it is this process's own date.
 *
 * <p>Safe for use by several threads.
 */
final class ClusterTime {

  /** How long this process's own date is taken as read before. */
  private static final long OWN_NANOS = 1_000_000_000L;

  private static final long MILLI = 1_000_000L;

  private record Told(long millis, long nanos) {}

  private final Env env;
  private volatile @Nullable Told told;
  private volatile Told own;

  ClusterTime(Env env) {
    this.env = env;
    this.own = new Told(env.wallMillis(), env.nanoTime());
  }

  void onTold(long millis) {
    told = new Told(millis, env.nanoTime());
  }

  long nowMillis() {
    Told last = told;
    return last == null ? env.wallMillis() : last.millis + (env.nanoTime() - last.nanos) / MILLI;
  }

  /** Nanoseconds since 1970, some milliseconds old at most: costs little. */
  long coarseNanos() {
    long now = env.coarseNanoTime();
    Told last = told;
    if (last == null) {
      last = own;
      if (now - last.nanos > OWN_NANOS) {
        last = new Told(env.wallMillis(), env.nanoTime());
        own = last;
      }
    }
    return last.millis * MILLI + now - last.nanos;
  }

  /** How far this process's own date is ahead of the coordinator's. */
  long aheadMillis() {
    return env.wallMillis() - nowMillis();
  }
}
