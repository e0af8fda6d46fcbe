package org.millrace.plan;

import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A program's hints for its collective requests. Immutable; start from {@link #DEFAULT}. Hints
 * never change which bytes are transferred.
 *
 * <p>{@code org.millrace.heritage.mpiio.RomioHints} reads and writes them under the names that MPI
 * programs know; {@code docs/collective.md} lists both.
 *
 * @param read strategy of collective reads
 * @param write strategy of collective writes
 * @param aggregators ranks that own a file domain; 0 leaves it to the planner
 * @param bufferBytes memory of one aggregator for collective buffers, all of them together
 * @param sieveReadBytes file bytes that one list of a sieved read covers
 * @param sieveWriteBytes the same for writes
 * @param domainBlockBytes block of block-cyclic file domains; 0 for one block for each aggregator
 * @param depth chunks of one aggregator, or buffers of one node, that are under way at once
 * @param striping of a file that is made
 * @param durable whether a collective write returns only when what all ranks have written by it is
 *     durable, as if {@code flushAll} followed, in fewer steps
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
          "hints: %s aggregators, buffers of %s bytes, lists of %s and %s bytes"
              .formatted(aggregators, bufferBytes, sieveReadBytes, sieveWriteBytes));
    }
    if (domainBlockBytes < 0 || depth < 1) {
      throw new IllegalArgumentException(
          "hints: domain blocks of %s bytes, depth %s".formatted(domainBlockBytes, depth));
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

  /** What is not as usual, by the names of the components; empty if everything is. */
  @Override
  public String toString() {
    SortedMap<String, Object> shown = components();
    shown.entrySet().removeAll(DEFAULT.components().entrySet());
    return shown.toString();
  }

  private SortedMap<String, Object> components() {
    SortedMap<String, Object> named = new TreeMap<>();
    named.put("read", read.word());
    named.put("write", write.word());
    named.put("aggregators", aggregators);
    named.put("bufferBytes", bufferBytes);
    named.put("sieveReadBytes", sieveReadBytes);
    named.put("sieveWriteBytes", sieveWriteBytes);
    named.put("domainBlockBytes", domainBlockBytes);
    named.put("depth", depth);
    named.put("stripeUnitBytes", striping.unitBytes());
    named.put("strands", striping.strands());
    named.put("blockBytes", striping.blockBytes());
    named.put("durable", durable);
    return named;
  }
}
