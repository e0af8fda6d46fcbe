package org.millrace.message;

/**
 * What of a request's payload travels between processes: which way, which bytes, in which order.
 * Both sides make it from the message as they have it; the places of the bytes may differ, their
 * number and order never do. In one JVM nothing travels.
 */
public interface Cargo {

  /** Which way bytes travel. */
  enum Direction {
    /** The payload stays where it is. */
    NONE,
    /** With the request. */
    TO_RECEIVER,
    /** With the answer. */
    TO_SENDER
  }

  /** Nothing travels. */
  Cargo NOTHING = new WholeCargo(Direction.NONE, 0);

  /** The whole payload of {@code bytes} bytes. */
  static Cargo whole(Direction direction, long bytes) {
    return new WholeCargo(direction, bytes);
  }

  /** Which way. */
  Direction direction();

  /** How many bytes travel. */
  long bytes();

  /**
   * How large the payload is that this side's message speaks of: as much memory the receiver gives
   * its endpoint. At least {@link #bytes}.
   */
  long memoryBytes();

  /** Where the travelling bytes lie in this side's payload, in the order in which they travel. */
  Walk walk();

  /** A cursor over combs of bytes in a payload. Owned by one thread. */
  interface Walk {

    /** Goes to the next comb. False if there is none. */
    boolean next();

    /** Where the first run lies. */
    long offset();

    /** The length of each run, at least 1. */
    long length();

    /** From one run to the next. */
    long stride();

    /** How many runs, at least 1. */
    long count();
  }
}
