package org.millrace.plan;

import org.millrace.access.Extent;

/**
 * The rounds of the two-phase method: in round r each aggregator reads or writes its part of the
 * round whole, whether somebody wants it or not, and then everybody gets or gives the pieces.
 *
 * <pre>
 *   domain of aggregator a   | round 0 | round 1 | round 2 |    chunkBytes each, the last shorter
 * </pre>
 *
 * Parts are cut to the span of the request: what lies outside is no part of the array.
 *
 * <p>Owned by one thread: it keeps cursors.
 */
public final class Rounds {

  // constant after construction
  private final PieceFinder finder;
  private final Domains domains;
  private final Extent span;
  private final long chunkBytes;
  private final long partsOfBlock;

  private Rounds(Request request, Domains domains, long chunkBytes, boolean overlapping) {
    if (chunkBytes < 1) {
      throw new IllegalArgumentException("rounds of " + chunkBytes + " bytes, must be at least 1");
    }
    this.finder = new PieceFinder(request, overlapping);
    this.domains = domains;
    this.span = request.span();
    this.chunkBytes = chunkBytes;
    this.partsOfBlock =
        Math.ceilDiv(Math.min(domains.blockBytes(), domains.end() - domains.start()), chunkBytes);
  }

  /**
   * The rounds of a request.
   *
   * @param overlapping whether different ranks may want the same byte; true is always safe
   */
  public static Rounds of(Request request, Domains domains, long chunkBytes, boolean overlapping) {
    return new Rounds(request, domains, chunkBytes, overlapping);
  }

  /** The rounds of a plan. */
  public static Rounds of(Plan.TwoPhase plan, boolean overlapping) {
    return of(plan.request(), plan.domains(), plan.chunkBytes(), overlapping);
  }

  /** How many there are. */
  public long count() {
    return Math.ceilDiv(domains.blocks(), domains.aggregators()) * partsOfBlock;
  }

  /** The part of an aggregator in a round; empty perhaps. */
  public Extent extent(long round, int aggregator) {
    if (round < 0 || round >= count() || aggregator < 0 || aggregator >= domains.aggregators()) {
      throw new IndexOutOfBoundsException(
          "round %d of %d, aggregator %d of %d"
              .formatted(round, count(), aggregator, domains.aggregators()));
    }
    long block = round / partsOfBlock * domains.aggregators() + aggregator;
    if (block >= domains.blocks()) {
      return new Extent(domains.end(), 0);
    }
    Extent whole = domains.block(block);
    long from = Math.min(whole.end(), whole.offset() + round % partsOfBlock * chunkBytes);
    long to = chunkBytes < whole.end() - from ? from + chunkBytes : whole.end();
    return Extent.between(from, to).intersect(span);
  }

  /** What the ranks want of the part of an aggregator in a round. */
  public Pieces pieces(long round, int aggregator) {
    return finder.in(extent(round, aggregator));
  }
}
