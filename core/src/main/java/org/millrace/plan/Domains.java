package org.millrace.plan;

import org.millrace.access.Extent;

/**
 * File domains: an extent of the file dealt out to aggregators, block by block in turn. With as
 * many blocks as aggregators this is PASSION's block assignment; with more it is block-cyclic.
 *
 * <pre>
 *   start    +blockBytes                      end
 *   | agg. 0 | agg. 1 | agg. 2 | agg. 0 | ... |
 * </pre>
 *
 * Immutable.
 *
 * @param start first byte of domain 0
 * @param end one past the last byte of all domains
 * @param aggregators how many ranks own a domain: ranks 0 to aggregators-1 in {@link #rankOf}'s
 *     order
 * @param blockBytes bytes that belong to one aggregator before the next one's turn
 * @param ranks of the group, over which the aggregators are spread
 */
public record Domains(long start, long end, int aggregators, long blockBytes, int ranks) {

  /** Checks the bounds. */
  public Domains {
    if (start < 0 || end < start || aggregators < 1 || aggregators > ranks || blockBytes < 1) {
      throw new IllegalArgumentException(
          "domains from %d to %d, %d aggregators of %d ranks, blocks of %d bytes"
              .formatted(start, end, aggregators, ranks, blockBytes));
    }
  }

  /** The rank that is aggregator number {@code aggregator}: they are spread evenly. */
  public int rankOf(int aggregator) {
    return (int) ((long) aggregator * ranks / aggregators);
  }

  /** The number of the aggregator that this rank is, or -1. */
  public int aggregatorAt(int rank) {
    int guess = (int) (((long) rank * aggregators + ranks - 1) / ranks);
    return guess < aggregators && rankOf(guess) == rank ? guess : -1;
  }

  /** How many blocks there are; the last may be shorter. */
  public long blocks() {
    return Math.ceilDiv(end - start, blockBytes);
  }

  /** Block number {@code block}, whose owner is aggregator {@code block % aggregators}. */
  public Extent block(long block) {
    long from = start + block * blockBytes;
    return Extent.between(from, blockBytes < end - from ? from + blockBytes : end);
  }
}
