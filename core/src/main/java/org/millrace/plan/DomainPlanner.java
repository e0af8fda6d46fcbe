package org.millrace.plan;

import java.util.HashSet;
import org.millrace.access.Extent;

/** Deals a request's span out to aggregators. Holds no state. */
final class DomainPlanner {

  /** The unit of caching: whoever reads a part of a block has the whole read. */
  static final long BLOCK_BYTES = 64 << 10;

  private DomainPlanner() {}

  /** How many aggregators there are; see {@link Planner#aggregators}. */
  static int aggregators(Request request, Hints hints) {
    int ranks = request.ranks();
    if (hints.aggregators() > 0) {
      return Math.min(ranks, hints.aggregators());
    }
    int nodes = new HashSet<>(request.layout().nodes()).size();
    long useful = Math.max(request.layout().strands(), 2L * nodes);
    long blocks = Math.max(1, Math.ceilDiv(request.span().length(), BLOCK_BYTES));
    return (int) Math.min(ranks, Math.min(useful, blocks));
  }

  /** One contiguous part of the span for each aggregator, as equal as whole units allow. */
  static Domains byBlock(Request request, Hints hints) {
    int aggregators = aggregators(request, hints);
    Extent span = request.span();
    long stripe = request.layout().stripeUnitBytes();
    for (long unit : new long[] {Math.max(stripe, BLOCK_BYTES), Math.min(stripe, BLOCK_BYTES)}) {
      long start = span.offset() - span.offset() % unit;
      long even = Math.max(1, Math.ceilDiv(span.length(), aggregators));
      long length = Math.max(1, span.end() - start);
      long units = Math.ceilDiv(Math.ceilDiv(length, aggregators), unit);
      if (units <= Long.MAX_VALUE / unit && isBalanced(units * unit, even)) {
        return new Domains(start, span.end(), aggregators, units * unit, request.ranks());
      }
    }
    long even = Math.max(1, Math.ceilDiv(span.length(), aggregators));
    return new Domains(span.offset(), span.end(), aggregators, even, request.ranks());
  }

  /** Whole units are worth it as long as no domain gets a quarter more than its even share. */
  private static boolean isBalanced(long rounded, long even) {
    return rounded - even <= even / 4;
  }

  /** Blocks of the given size in turn. */
  static Domains cyclic(Request request, Hints hints) {
    long block = hints.domainBlockBytes();
    Extent span = request.span();
    long start = span.offset() - span.offset() % block;
    return new Domains(start, span.end(), aggregators(request, hints), block, request.ranks());
  }
}
