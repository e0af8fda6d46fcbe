package org.millrace.plan;

import org.jspecify.annotations.Nullable;
import org.millrace.access.Extent;

/**
 * A cursor over the chunks in which an aggregator goes through its file domain: extents by
 * ascending offset, each no larger than a buffer and no larger than what somebody wants of it.
 *
 * <pre>
 *   domain    |-------------------------------------|
 *   wanted        xx.xx.x            x..x.xx
 *   chunks        [     ]            [  ][ ]           at most so many bytes each
 * </pre>
 *
 * What nobody wants between two chunks is jumped over by arithmetic: the next chunk starts at the
 * smallest wanted offset of all ranks. Chunks end on block boundaries where they can, so that no
 * block is visited for two of them. A step costs O(ranks * depth) for ascending views and nothing
 * is kept from step to step.
 *
 * <p>Owned by one thread.
 */
public final class Chunks {

  // constant after construction
  private final PieceFinder finder;
  private final Domains domains;
  private final Extent span;
  private final int aggregator;
  private final long chunkBytes;

  /** The block of the domain that is being gone through, and where in it. */
  private long block;

  private long at;
  private @Nullable Pieces pieces;

  private Chunks(
      Request request, Domains domains, int aggregator, long chunkBytes, boolean overlapping) {
    if (aggregator < 0 || aggregator >= domains.aggregators() || chunkBytes < 1) {
      throw new IllegalArgumentException(
          "chunks of %d bytes for aggregator %d of %d"
              .formatted(chunkBytes, aggregator, domains.aggregators()));
    }
    this.finder = new PieceFinder(request, overlapping);
    this.domains = domains;
    this.span = request.span();
    this.aggregator = aggregator;
    this.chunkBytes = chunkBytes;
    this.block = aggregator;
    this.at = span.offset();
  }

  /**
   * The chunks of an aggregator.
   *
   * @param overlapping whether different ranks may want the same byte, as {@link Overlaps} says;
   *     true is always safe
   */
  public static Chunks of(
      Request request, Domains domains, int aggregator, long chunkBytes, boolean overlapping) {
    return new Chunks(request, domains, aggregator, chunkBytes, overlapping);
  }

  /** The chunks of an aggregator of a plan. */
  public static Chunks of(Plan.ExtendedTwoPhase plan, int aggregator, boolean overlapping) {
    return of(plan.request(), plan.domains(), aggregator, plan.chunkBytes(), overlapping);
  }

  /** Goes to the next chunk, the first one at first. False if there is none. */
  public boolean next() {
    while (block < domains.blocks()) {
      Extent rest = domains.block(block).intersect(Extent.between(at, Math.max(at, span.end())));
      Extent wanted = rest.isEmpty() ? rest : finder.trim(rest);
      if (wanted.isEmpty()) {
        nextBlock(rest);
      } else {
        take(wanted);
        return true;
      }
    }
    pieces = null;
    return false;
  }

  private void take(Extent wanted) {
    long end = chunkEnd(wanted);
    Extent chunk = finder.trim(Extent.between(wanted.offset(), end));
    at = end;
    pieces = finder.in(chunk);
  }

  /** Where a chunk that starts with this ends at the latest: on a block's end if one is near. */
  private long chunkEnd(Extent wanted) {
    if (wanted.length() <= chunkBytes) {
      return wanted.end();
    }
    long end = wanted.offset() + chunkBytes;
    long aligned = end - end % DomainPlanner.BLOCK_BYTES;
    return aligned > wanted.offset() && chunkBytes >= 2 * DomainPlanner.BLOCK_BYTES ? aligned : end;
  }

  /**
   * Goes to the aggregator's next block that may hold something. Blocks below the next wanted
   * offset are left out together.
   */
  private void nextBlock(Extent rest) {
    long next = block + domains.aggregators();
    long from = Math.max(at, rest.end());
    Extent behind = Extent.between(from, Math.max(from, span.end()));
    Extent wanted = behind.isEmpty() ? behind : finder.trim(behind);
    if (wanted.isEmpty()) {
      block = domains.blocks();
      return;
    }
    long wantedBlock = (wanted.offset() - domains.start()) / domains.blockBytes();
    long turns = Math.ceilDiv(Math.max(0, wantedBlock - aggregator), domains.aggregators());
    block = Math.max(next, aggregator + turns * domains.aggregators());
    if (block < domains.blocks()) {
      at = Math.max(from, domains.block(block).offset());
    }
  }

  /** The chunk that the cursor stands on, and what is wanted of it. */
  public Pieces pieces() {
    if (pieces == null) {
      throw new IllegalStateException("the cursor stands on no chunk");
    }
    return pieces;
  }
}
