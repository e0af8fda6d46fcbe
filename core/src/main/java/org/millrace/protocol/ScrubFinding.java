package org.millrace.protocol;

/**
 * Something that a scrub found to be wrong. Immutable.
 *
 * @param strand which strand
 * @param node on which node's disk
 * @param from the first byte of the strand that is concerned
 * @param to one past the last; {@link Long#MAX_VALUE} for all that follows
 * @param repaired whether it is right again
 * @param what it was, in words
 */
public record ScrubFinding(
    StrandId strand, int node, long from, long to, boolean repaired, String what) {}
