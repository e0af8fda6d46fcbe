package org.millrace.node;

import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;

/**
 * What time it is for the coordinator, as it says with every heartbeat, and by this process's
 * steady clock in between. Capabilities are issued and checked on this time: a node whose own date
 * is wrong, or is set while it runs, refuses nobody and lets nobody in for it. Until the
 * coordinator has said something, it is this process's own date.
 *
 * <p>Safe for use by several threads.
 */
final class ClusterTime {

  private record Told(long millis, long nanos) {}

  private final Env env;
  private volatile @Nullable Told told;

  ClusterTime(Env env) {
    this.env = env;
  }

  void onTold(long millis) {
    told = new Told(millis, env.nanoTime());
  }

  long nowMillis() {
    Told last = told;
    return last == null
        ? env.wallMillis()
        : last.millis + (env.nanoTime() - last.nanos) / 1_000_000;
  }

  /** How far this process's own date is ahead of the coordinator's. */
  long aheadMillis() {
    return env.wallMillis() - nowMillis();
  }
}
