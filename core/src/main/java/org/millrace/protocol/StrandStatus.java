package org.millrace.protocol;

/**
 * What a node says of a strand without its bytes.
 *
 * @param end where it ends; {@link #UNKNOWN} if the node cannot open it
 * @param modified when it was last written or resized, in nanoseconds since 1970 by the cluster's
 *     clock; 0 if never, or if that is not known. Every write makes it larger
 */
public record StrandStatus(long end, long modified) {

  /** The end of a strand that cannot be opened. */
  public static final long UNKNOWN = -1;
}
