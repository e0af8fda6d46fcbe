package org.millrace.env;

/**
 * The purpose of a thread. The normal environment chooses virtual or platform threads by it;
 * simulation treats all alike.
 */
public enum ThreadKind {
  /** A participant of a parallel program: virtual, there may be thousands. */
  RANK,
  /**
   * An operation that goes on by itself for a rank: platform, because ranks that compute do not
   * give virtual threads a turn.
   */
  OPERATION,
  /**
   * Helps with work that another thread does anyhow, with or without it: virtual, because the
   * processors that ranks have just left are still awake, and waking one that sleeps takes longer
   * than most such work.
   */
  HELPER,
  /**
   * Blocks in file I/O: platform, few per disk, because file I/O holds on to a virtual thread's
   * carrier.
   */
  DISK,
  /** Serves one connection: platform, because bulk socket traffic is slow on virtual threads. */
  CONNECTION,
  /** A server's work that its sender does not do by itself: platform, for the same reason. */
  SERVICE
}
