package org.millrace.coordinator;

import org.millrace.env.Env;

/**
 * The time of changes of names: the coordinator's date in nanoseconds since 1970, later with every
 * change, so that programs can tell by it that something has changed. Guarded by the coordinator's
 * lock.
 */
final class NameClock {

  private static final long NANOS_PER_MILLI = 1_000_000;

  // constant after construction
  private final Env env;

  // guarded by the coordinator's lock
  private long last;

  NameClock(Env env) {
    this.env = env;
  }

  long next() {
    last = Math.max(last + 1, env.wallMillis() * NANOS_PER_MILLI);
    return last;
  }
}
