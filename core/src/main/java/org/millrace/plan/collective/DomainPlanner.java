package org.millrace.plan.collective;

import java.util.HashSet;
import org.millrace.access.Extent;
import org.millrace.plan.Domains;
import org.millrace.plan.Hints;

/**
 * Divides a file among aggregators. For parts of an array the domains are whole columns of the
 * whole array, or whole rows in row-major files; for other views they are bytes of the request's
 * span. Holds no state.
 */
final class DomainPlanner {

  private DomainPlanner() {}

  /** How many aggregators the extended method has; see {@link Planner#aggregators}. */
  static int aggregators(Request request, Hints hints) {
    int ranks = request.ranks();
    if (hints.aggregators() > 0) {
      return Math.min(ranks, hints.aggregators());
    }
    if (request.array().isPresent()) {
      return ranks;
    }
    int nodes = new HashSet<>(request.layout().nodes()).size();
    long useful = Math.max(request.layout().strands(), 2L * nodes);
    long blocks = Math.max(1, Math.ceilDiv(request.span().length(), request.blockBytes()));
    return (int) Math.min(ranks, Math.min(useful, blocks));
  }

  /** The domains of the extended method: by block, or block-cyclic where the hints say so. */
  static Domains extended(Request request, Hints hints) {
    int aggregators = aggregators(request, hints);
    if (request.array().isPresent()) {
      return Domains.ofColumns(
          request.array().get(), hints.domainBlockBytes(), aggregators, request.ranks());
    }
    return hints.domainBlockBytes() > 0
        ? cyclic(request, hints.domainBlockBytes(), aggregators)
        : byBlock(request, aggregators);
  }

  /** The conforming distribution: one contiguous part for each rank, or for each aggregator. */
  static Domains conforming(Request request, Hints hints) {
    int ranks = request.ranks();
    int parts = hints.aggregators() > 0 ? Math.min(ranks, hints.aggregators()) : ranks;
    return request
        .array()
        .map(array -> Domains.ofColumns(array, 0, parts, ranks))
        .orElseGet(() -> byBlock(request, parts));
  }

  /** One contiguous part of the span for each aggregator, as equal as whole units allow. */
  private static Domains byBlock(Request request, int aggregators) {
    Extent span = request.span();
    long stripe = request.layout().stripeUnitBytes();
    long block = request.blockBytes();
    for (long unit : new long[] {Math.max(stripe, block), Math.min(stripe, block)}) {
      long start = span.offset() - span.offset() % unit;
      Domains rounded = new Domains(start, span.end(), unit, 0, aggregators, request.ranks());
      if (isBalanced(rounded.maxBlockBytes(), span.length() / aggregators)) {
        return rounded;
      }
    }
    return new Domains(span.offset(), span.end(), 1, 0, aggregators, request.ranks());
  }

  /** Whole units are worth it as long as no domain gets a quarter more than its even share. */
  private static boolean isBalanced(long rounded, long even) {
    return rounded - even <= even / 4;
  }

  /** Blocks of the given size in turn. */
  private static Domains cyclic(Request request, long block, int aggregators) {
    Extent span = request.span();
    long start = span.offset() - span.offset() % block;
    return new Domains(start, span.end(), block, 1, aggregators, request.ranks());
  }
}
