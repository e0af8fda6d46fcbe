package org.millrace.bench.processes;

/** A way for two processes of one host to talk, as {@link SharedMemoryTrial} compares them. */
enum TrialWay {
  /** A Unix-domain socket. */
  UNIX(false, false),
  /** TCP over loopback. */
  TCP(false, false),
  /** Rings in shared memory, looked at all the time. */
  RING_LOOKING(true, false),
  /** Rings in shared memory, with a Unix-domain socket as doorbell for each message. */
  RING_SLEEPING(true, false),
  /** Rings in shared memory: looks first, then sleeps, as {@code wire.Spin} decides. */
  RING(true, false),
  /** The same, and payloads stay in shared memory: messages name them. */
  NAMED(true, true),
  /** The same, and the receiver copies them out. */
  NAMED_COPIED(true, true);

  private final boolean ring;
  private final boolean named;

  TrialWay(boolean ring, boolean named) {
    this.ring = ring;
    this.named = named;
  }

  boolean isRing() {
    return ring;
  }

  boolean isNamed() {
    return named;
  }
}
