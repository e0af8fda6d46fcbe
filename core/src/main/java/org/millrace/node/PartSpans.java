package org.millrace.node;

import org.millrace.access.Extent;

/**
 * The part of the strand that each part of a disk-directed call lies in. On thousands of nodes a
 * node has parts of hundreds of ranks, most of which want something of one block: a thread at a
 * block need not look at the others. Immutable.
 */
final class PartSpans {

  private final long[] firsts;
  private final long[] ends;

  PartSpans(DirectPart[] parts) {
    firsts = new long[parts.length];
    ends = new long[parts.length];
    for (int i = 0; i < parts.length; i++) {
      Extent span = parts[i].span();
      firsts[i] = span.offset();
      ends[i] = span.end();
    }
  }

  /** The first byte of the strand that a part may want. */
  long first(int part) {
    return firsts[part];
  }

  /** One past the last byte of the strand that a part may want. */
  long end(int part) {
    return ends[part];
  }

  /** Whether a part may want a byte of {@code [from, to)}. */
  boolean meets(int part, long from, long to) {
    return firsts[part] < to && from < ends[part];
  }
}
