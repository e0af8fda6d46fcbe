package org.millrace.message;

import java.lang.foreign.MemorySegment;

/**
 * Memory of an endpoint in this JVM, lent to a sender that copies by itself: blocks of what a key
 * names. May be used by several threads, which must not wait before it is given back, once.
 */
public interface Lent {

  /** The memory of a block that was asked for. */
  MemorySegment block(long number);

  /** What was done with it. */
  enum Use {
    /** Nothing. */
    NONE,
    /** All that was asked for was copied. */
    WHOLE,
    /** Some of it was: what was to be written is unknown. */
    BROKEN
  }

  /**
   * Gives all of it back.
   *
   * @param bytes that were copied in all
   * @param pieces that they were
   */
  void giveBack(Use use, long bytes, long pieces);
}
