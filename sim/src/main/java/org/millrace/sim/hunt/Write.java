package org.millrace.sim.hunt;

import org.millrace.env.Env;

/**
 * One write or truncation of a program, as the oracle sees it: the event numbers at which it began
 * and was known to be done. For threads of the world's environment.
 */
final class Write {

  /** Made nothing: the begin of all files. */
  static final int NOTHING = 0;

  final int id;
  final long open;
  final long began;
  long ended = Env.NEVER;

  /**
   * Made under a lock by a rank that was lost since; from this event on others have the lock, and
   * it happens no more.
   */
  long lost = Env.NEVER;

  /** The rank that makes it under a lock of all that it writes; empty if it has none. */
  String lockedBy = "";

  /**
   * Made by all ranks together: their file domains may meet within a cell, so a write-back in the
   * middle of the call stores a part of it.
   */
  boolean inPieces;

  /**
   * A write that begins.
   *
   * @param id its content is made from it; {@link #NOTHING} for none
   * @param open number of the open file that it went through
   */
  Write(int id, long open, long began) {
    this.id = id;
    this.open = open;
    this.began = began;
  }

  boolean isNothing() {
    return id == NOTHING;
  }

  @Override
  public String toString() {
    return (isNothing() ? "nothing" : "write " + id)
        + " ["
        + began
        + ", "
        + (ended == Env.NEVER ? "not known to be done" : ended)
        + "]";
  }
}
