package org.millrace.access.group;

/**
 * How a rank reaches bytes that nodes in other processes keep; of all ranks together, the least
 * that any of them has.
 */
public enum Reach {
  /** By messages. */
  MESSAGES,

  /** It maps the memory of these nodes. */
  MAPPED,

  /**
   * It maps their memory, and has wanted the same bytes before: it may know where they lie, or have
   * them kept for its writes.
   */
  KNOWN;

  /** What both have. */
  public Reach and(Reach other) {
    return compareTo(other) < 0 ? this : other;
  }
}
