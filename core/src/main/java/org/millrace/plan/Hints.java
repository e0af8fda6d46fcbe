package org.millrace.plan;

/**
 * What a program may say about how its collective requests are to be carried out. Immutable; start
 * from {@link #DEFAULT}. Hints never change which bytes move.
 *
 * @param read strategy of collective reads
 * @param write strategy of collective writes
 * @param aggregators ranks that own a file domain ({@code cb_nodes}); 0 leaves it to the planner
 * @param bufferBytes memory of one aggregator for collective buffers, all of them together ({@code
 *     cb_buffer_size})
 * @param sieveReadBytes file bytes that one list of an independent read covers ({@code
 *     ind_rd_buffer_size})
 * @param sieveWriteBytes the same for writes ({@code ind_wr_buffer_size})
 * @param domainBlockBytes block of block-cyclic file domains; 0 for one block for each aggregator
 * @param depth chunks of one aggregator, or buffers of one node, that are under way at once
 */
public record Hints(
    Strategy read,
    Strategy write,
    int aggregators,
    long bufferBytes,
    long sieveReadBytes,
    long sieveWriteBytes,
    long domainBlockBytes,
    int depth) {

  /** Automatic choice, 2 MiB of buffers in two chunks, lists of 4 MiB, domains by block. */
  public static final Hints DEFAULT =
      new Hints(Strategy.AUTO, Strategy.AUTO, 0, 2L << 20, 4L << 20, 4L << 20, 0, 2);

  /** Checks the bounds. */
  public Hints {
    if (aggregators < 0 || bufferBytes < 1 || sieveReadBytes < 1 || sieveWriteBytes < 1) {
      throw new IllegalArgumentException(
          "hints: %d aggregators, buffers of %d bytes, lists of %d and %d bytes"
              .formatted(aggregators, bufferBytes, sieveReadBytes, sieveWriteBytes));
    }
    if (domainBlockBytes < 0 || depth < 1) {
      throw new IllegalArgumentException(
          "hints: domain blocks of %d bytes, depth %d".formatted(domainBlockBytes, depth));
    }
  }

  /** The strategy of one direction. */
  public Strategy strategy(boolean write) {
    return write ? this.write : this.read;
  }

  /** The same with one strategy for both directions. */
  public Hints withStrategy(Strategy both) {
    return new Hints(
        both,
        both,
        aggregators,
        bufferBytes,
        sieveReadBytes,
        sieveWriteBytes,
        domainBlockBytes,
        depth);
  }
}
