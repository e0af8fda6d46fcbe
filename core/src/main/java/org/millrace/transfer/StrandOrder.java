package org.millrace.transfer;

import java.util.stream.IntStream;

/**
 * The order in which a rank accesses strands. Ranks that touch the same strands often have
 * consecutive numbers: each begins at another strand, so that no node gets the requests of all of
 * them first. Holds no state.
 */
final class StrandOrder {

  private StrandOrder() {}

  /** The strands that are touched, each once, beginning with one that depends on the rank. */
  static int[] of(boolean[] touched, int rank) {
    int[] strands = IntStream.range(0, touched.length).filter(s -> touched[s]).toArray();
    int[] order = new int[strands.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = strands[(int) (((long) i + rank) % strands.length)];
    }
    return order;
  }
}
