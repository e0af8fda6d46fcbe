package org.millrace.plan;

import java.util.Comparator;
import java.util.List;

/**
 * Decides how a collective request is carried out. Pure: the same arguments give the same plan on
 * every rank. Time and memory grow with ranks, strands and the depth of patterns, never with runs
 * or bytes. Holds no state.
 */
public final class Planner {

  /** Over all accesses: cutting them, their span, whether they overlap. */
  private static final int PASSES = 4;

  /** What the cost model asks for beside. */
  private static final int ESTIMATING_PASSES = 12;

  private Planner() {}

  /**
   * Plans a request, and says what every strategy would cost. A strategy that the hints name is
   * taken; otherwise the cheapest by the cost model, of equals the first in the order of {@link
   * Strategy}.
   *
   * @param reachable whether all ranks' memory can be reached by other threads; if not, only the
   *     direct and the sieved strategy can be taken, and a hint for another one becomes sieved
   */
  public static Planned plan(Request request, Hints hints, Costs costs, boolean reachable) {
    return plan(request, hints, costs, reachable, true);
  }

  /** The same plan, without asking what strategies would cost where the hints name one. */
  public static Planned decide(Request request, Hints hints, Costs costs, boolean reachable) {
    boolean open = hints.strategy(request.write()) == Strategy.AUTO;
    return plan(request, hints, costs, reachable, open);
  }

  private static Planned plan(
      Request request, Hints hints, Costs costs, boolean reachable, boolean estimating) {
    boolean overlapping = request.write() && Overlaps.between(request.accesses());
    Domains conforming = conforming(request, hints);
    Domains domains = domains(request, hints);
    List<Estimate> all =
        estimating
            ? new Estimator(new Census(request), hints, costs, overlapping)
                .all(reachable, conforming, domains)
            : List.of();
    Strategy strategy = choose(hints.strategy(request.write()), all, reachable);
    boolean searching = estimating || strategy == Strategy.DISK_DIRECTED;
    StrandSearch search = searching ? StrandSearch.of(request) : StrandSearch.NONE;
    Plan plan =
        switch (strategy) {
          case DIRECT -> new Plan.Direct(request, overlapping);
          case SIEVED -> new Plan.Sieved(request, sieveBytes(request, hints), overlapping);
          case TWO_PHASE -> new Plan.TwoPhase(request, conforming, twoPhaseChunkBytes(hints));
          case EXTENDED_TWO_PHASE ->
              new Plan.ExtendedTwoPhase(request, domains, chunkBytes(hints), hints.depth());
          case DISK_DIRECTED -> new Plan.DiskDirected(request, search.strands(), hints.depth());
          case AUTO -> throw new IllegalStateException("auto is not a plan");
        };
    return new Planned(plan, overlapping, all, steps(request, search, estimating));
  }

  /** About how many steps planning takes: every rank pays them. */
  private static long steps(Request request, StrandSearch search, boolean estimating) {
    int passes = PASSES + (estimating ? ESTIMATING_PASSES : 0);
    return (long) passes * request.ranks() + search.steps();
  }

  private static Strategy choose(Strategy wanted, List<Estimate> all, boolean reachable) {
    return switch (wanted) {
      case AUTO ->
          all.stream().min(Comparator.comparingDouble(Estimate::nanos)).orElseThrow().strategy();
      case DIRECT, SIEVED -> wanted;
      case TWO_PHASE, EXTENDED_TWO_PHASE, DISK_DIRECTED -> reachable ? wanted : Strategy.SIEVED;
    };
  }

  /**
   * How many ranks own a file domain. What the hint says, but no more than there are ranks; without
   * a hint two for each node or one for each strand, whichever is more: two, so that one can move
   * bytes while the other's wait for the disk; not more, because every aggregator takes a buffer
   * and every chunk a message to each rank. Requests of a few blocks get one for each block.
   */
  public static int aggregators(Request request, Hints hints) {
    return DomainPlanner.aggregators(request, hints);
  }

  /**
   * The domains of the two-phase method: one contiguous part of the request's span for each
   * aggregator, equal up to whole stripe units or blocks. They are rounded to such units only where
   * no part becomes a quarter larger than its even share by that.
   */
  public static Domains conforming(Request request, Hints hints) {
    return DomainPlanner.byBlock(request, hints);
  }

  /** The domains of the extended two-phase method: as the hints say, by block or block-cyclic. */
  public static Domains domains(Request request, Hints hints) {
    return hints.domainBlockBytes() > 0
        ? DomainPlanner.cyclic(request, hints)
        : DomainPlanner.byBlock(request, hints);
  }

  /** Bytes of one of an aggregator's {@code depth} buffers. */
  static long chunkBytes(Hints hints) {
    return wholeBlocks(Math.max(1, hints.bufferBytes() / hints.depth()));
  }

  /** The two-phase method has one buffer for each aggregator, used in every round. */
  static long twoPhaseChunkBytes(Hints hints) {
    return wholeBlocks(hints.bufferBytes());
  }

  private static long wholeBlocks(long bytes) {
    return bytes < DomainPlanner.BLOCK_BYTES ? bytes : bytes - bytes % DomainPlanner.BLOCK_BYTES;
  }

  private static long sieveBytes(Request request, Hints hints) {
    return request.write() ? hints.sieveWriteBytes() : hints.sieveReadBytes();
  }

  /** The strands that hold something wanted, ascending. */
  static List<Integer> strands(Request request) {
    return StrandSearch.of(request).strands();
  }
}
