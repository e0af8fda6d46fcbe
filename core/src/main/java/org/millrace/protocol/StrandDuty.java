package org.millrace.protocol;

/**
 * Something that the owner of a strand is to do because a node is drained. Immutable.
 *
 * @param strand which strand
 * @param kind {@link #COPY}, {@link #DROP} or {@link #MOVE}
 * @param node the node to which the strand is copied, or which leaves
 */
public record StrandDuty(StrandId strand, int kind, int node) {

  /** Make one more copy. */
  public static final int COPY = 0;

  /** Give a copy up that is not needed any more; the owner's own: another node owns it then. */
  public static final int DROP = 1;

  /** Move a strand that has no copies. */
  public static final int MOVE = 2;
}
