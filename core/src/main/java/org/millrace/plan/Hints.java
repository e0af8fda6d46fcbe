package org.millrace.plan;

import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What a program may say about how its collective requests are to be carried out. Immutable; start
 * from {@link #DEFAULT}. Hints never change which bytes move.
 *
 * <p>The hints have names, too: ROMIO's where it has the same ones, read by {@link #parse} and
 * {@link #with(String, String)} and written by {@link #toMap}. {@code docs/collective.md} lists
 * them.
 *
 * @param read strategy of collective reads
 * @param write strategy of collective writes
 * @param aggregators ranks that own a file domain ({@code cb_nodes}); 0 leaves it to the planner
 * @param bufferBytes memory of one aggregator for collective buffers, all of them together ({@code
 *     cb_buffer_size})
 * @param sieveReadBytes file bytes that one list of a sieved read covers ({@code
 *     ind_rd_buffer_size})
 * @param sieveWriteBytes the same for writes ({@code ind_wr_buffer_size})
 * @param domainBlockBytes block of block-cyclic file domains ({@code millrace_domain_block}); 0 for
 *     one block for each aggregator
 * @param depth chunks of one aggregator, or buffers of one node, that are under way at once ({@code
 *     millrace_pipeline_depth})
 * @param striping of a file that is made ({@code striping_unit}, {@code striping_factor}, {@code
 *     millrace_block_size})
 * @param durable whether a collective write returns only when what all ranks have written by it is
 *     durable, as if {@code flushAll} followed, in fewer steps ({@code millrace_durable})
 */
public record Hints(
    Strategy read,
    Strategy write,
    int aggregators,
    long bufferBytes,
    long sieveReadBytes,
    long sieveWriteBytes,
    long domainBlockBytes,
    int depth,
    Striping striping,
    boolean durable) {

  /** Automatic choice, 2 MiB of buffers in two chunks, lists of 4 MiB, domains by block. */
  public static final Hints DEFAULT =
      new Hints(Strategy.AUTO, Strategy.AUTO, 0, 2L << 20, 4L << 20, 4L << 20, 0, 2);

  /** Checks the bounds. */
  public Hints {
    Objects.requireNonNull(read, "read");
    Objects.requireNonNull(write, "write");
    Objects.requireNonNull(striping, "striping");
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

  /** Hints that leave the striping of new files to the cluster, and writes in caches. */
  public Hints(
      Strategy read,
      Strategy write,
      int aggregators,
      long bufferBytes,
      long sieveReadBytes,
      long sieveWriteBytes,
      long domainBlockBytes,
      int depth) {
    this(
        read,
        write,
        aggregators,
        bufferBytes,
        sieveReadBytes,
        sieveWriteBytes,
        domainBlockBytes,
        depth,
        Striping.DEFAULT,
        false);
  }

  /** The strategy of one direction. */
  public Strategy strategy(boolean write) {
    return write ? this.write : this.read;
  }

  /** The same with one strategy for both directions. */
  public Hints withStrategy(Strategy both) {
    return withRead(both).withWrite(both);
  }

  /** The same with another strategy of reads. */
  public Hints withRead(Strategy strategy) {
    return copy(strategy, write, aggregators, bufferBytes, domainBlockBytes, depth, striping);
  }

  /** The same with another strategy of writes. */
  public Hints withWrite(Strategy strategy) {
    return copy(read, strategy, aggregators, bufferBytes, domainBlockBytes, depth, striping);
  }

  /** The same with another number of aggregators; 0 leaves it to the planner. */
  public Hints withAggregators(int number) {
    return copy(read, write, number, bufferBytes, domainBlockBytes, depth, striping);
  }

  /** The same with other memory for the collective buffers of one aggregator. */
  public Hints withBufferBytes(long bytes) {
    return copy(read, write, aggregators, bytes, domainBlockBytes, depth, striping);
  }

  /** The same with lists that cover other parts of the file. */
  public Hints withSieveBytes(long readBytes, long writeBytes) {
    return new Hints(
        read,
        write,
        aggregators,
        bufferBytes,
        readBytes,
        writeBytes,
        domainBlockBytes,
        depth,
        striping,
        durable);
  }

  /** The same with other lists for reads. */
  public Hints withSieveReadBytes(long bytes) {
    return withSieveBytes(bytes, sieveWriteBytes);
  }

  /** The same with other lists for writes. */
  public Hints withSieveWriteBytes(long bytes) {
    return withSieveBytes(sieveReadBytes, bytes);
  }

  /** The same with block-cyclic domains of the given block; 0 for one block each. */
  public Hints withDomainBlockBytes(long bytes) {
    return copy(read, write, aggregators, bufferBytes, bytes, depth, striping);
  }

  /** The same with another number of chunks or buffers under way at once. */
  public Hints withDepth(int number) {
    return copy(read, write, aggregators, bufferBytes, domainBlockBytes, number, striping);
  }

  /** The same with another striping of files that are made. */
  public Hints withStriping(Striping other) {
    return copy(read, write, aggregators, bufferBytes, domainBlockBytes, depth, other);
  }

  /** The same with collective writes that are durable when they return, or may not be. */
  public Hints withDurable(boolean whether) {
    return new Hints(
        read,
        write,
        aggregators,
        bufferBytes,
        sieveReadBytes,
        sieveWriteBytes,
        domainBlockBytes,
        depth,
        striping,
        whether);
  }

  private Hints copy(
      Strategy newRead,
      Strategy newWrite,
      int newAggregators,
      long newBufferBytes,
      long newDomainBlockBytes,
      int newDepth,
      Striping newStriping) {
    return new Hints(
        newRead,
        newWrite,
        newAggregators,
        newBufferBytes,
        sieveReadBytes,
        sieveWriteBytes,
        newDomainBlockBytes,
        newDepth,
        newStriping,
        durable);
  }

  /**
   * The hints of these names and values, on top of {@link #DEFAULT}. The order in the map is of no
   * importance. Unknown names are ignored, as MPI has it; {@link #unknownKeys} lists them.
   *
   * @throws IllegalArgumentException if a value is not what its name allows
   */
  public static Hints parse(Map<String, String> named) {
    return HintNames.parse(DEFAULT, named);
  }

  /**
   * The same with one named hint more; with an unknown name the same. {@code romio_ds_read} and
   * {@code romio_ds_write} are about the strategy set so far.
   *
   * @throws IllegalArgumentException if the value is not what the name allows
   */
  public Hints with(String key, String value) {
    return HintNames.parse(this, Map.of(key, value));
  }

  /** The names among these that mean nothing here. */
  public static SortedSet<String> unknownKeys(Map<String, String> named) {
    return HintNames.unknown(named);
  }

  /** All hints under their names; {@link #parse} makes equal hints of them. */
  public SortedMap<String, String> toMap() {
    return HintNames.toMap(this);
  }
}
