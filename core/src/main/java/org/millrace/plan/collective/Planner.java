package org.millrace.plan.collective;

import java.util.Comparator;
import java.util.List;
import org.millrace.plan.Domains;
import org.millrace.plan.Estimate;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * Decides how a collective request is carried out. Pure: the same arguments give the same plan on
 * every rank. Time and memory grow with runs of ranks with similar requests, with strands and with
 * the depth of patterns, never with runs of bytes or bytes; estimates grow with ranks. Holds no
 * state.
 */
public final class Planner {

  /** Over all kinds of accesses: cutting them, their span, whether they overlap. */
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
   *     direct and the sieved strategy can be taken, and a hint for another one becomes sieved. If
   *     a rank's view does not ascend the two-phase strategies cannot be taken either
   */
  public static Planned plan(Request request, Hints hints, Costs costs, boolean reachable) {
    return plan(request, hints, costs, reachable, true);
  }

  /** The same plan, without asking what strategies would cost where the hints name one. */
  public static Planned decide(Request request, Hints hints, Costs costs, boolean reachable) {
    boolean open = request.strategy(hints) == Strategy.AUTO;
    return plan(request, hints, costs, reachable, open);
  }

  private static Planned plan(
      Request request, Hints hints, Costs costs, boolean reachable, boolean estimating) {
    boolean overlapping = request.write() && Overlaps.between(request.accesses());
    WriteOrder order = WriteOrder.of(overlapping, request.accesses());
    Exchanges exchanges = Exchanges.of(request, hints, costs);
    List<Estimate> all =
        estimating
            ? new Estimator(new RequestStats(request), hints, costs, order.inTurns())
                .all(reachable, exchanges)
            : List.of();
    Strategy strategy = choose(request.strategy(hints), all, reachable, exchanges.isPossible());
    boolean searching = estimating || strategy == Strategy.DISK_DIRECTED;
    boolean sparse = searching && DirectTiling.pays(request);
    StrandSearch search =
        !searching
            ? StrandSearch.NONE
            : sparse ? StrandSearch.ofTiling(request) : StrandSearch.of(request);
    Plan plan =
        switch (strategy) {
          case DIRECT -> new Plan.Direct(request, order);
          case SIEVED -> new Plan.Sieved(request, sieveBytes(request, hints), order);
          case TWO_PHASE -> exchanges.twoPhase();
          case EXTENDED_TWO_PHASE -> exchanges.extended();
          case DISK_DIRECTED ->
              new Plan.DiskDirected(request, search.strands(), hints.depth(), sparse);
          case AUTO -> throw new IllegalStateException("auto is not a plan");
        };
    return new Planned(plan, overlapping, all, steps(request, search, estimating));
  }

  /** About how many steps planning takes: every rank pays them. */
  private static long steps(Request request, StrandSearch search, boolean estimating) {
    long estimates = estimating ? (long) ESTIMATING_PASSES * request.ranks() : 0;
    return (long) PASSES * request.kinds().size() + estimates + search.steps();
  }

  private static Strategy choose(
      Strategy wanted, List<Estimate> all, boolean reachable, boolean exchangeable) {
    return switch (wanted) {
      case AUTO ->
          all.stream().min(Comparator.comparingDouble(Estimate::nanos)).orElseThrow().strategy();
      case DIRECT, SIEVED -> wanted;
      case TWO_PHASE, EXTENDED_TWO_PHASE -> reachable && exchangeable ? wanted : Strategy.SIEVED;
      case DISK_DIRECTED -> reachable ? wanted : Strategy.SIEVED;
    };
  }

  /**
   * How many ranks own a file domain of the extended method. What the hint says, but no more than
   * there are ranks. Without a hint all ranks if they want parts of an array. For other views two
   * for each node or one for each strand, whichever is more: two, so that one can move bytes while
   * the other's wait for the disk; not more, because every aggregator takes buffers and every chunk
   * a message to each rank. Requests of a few blocks get one for each block.
   */
  public static int aggregators(Request request, Hints hints) {
    return DomainPlanner.aggregators(request, hints);
  }

  /**
   * The domains of the two-phase method: one contiguous part for each rank, of whole columns if the
   * ranks want parts of an array. For other views parts of the request's span, in whole stripe
   * units or blocks where no part becomes a quarter larger than its even share by that.
   */
  public static Domains conforming(Request request, Hints hints) {
    return DomainPlanner.conforming(request, hints);
  }

  /**
   * The domains of the extended two-phase method: of whole columns if the ranks want parts of an
   * array, else of bytes of the request's span; by block, or block-cyclic if the hints say so.
   */
  public static Domains domains(Request request, Hints hints) {
    return DomainPlanner.extended(request, hints);
  }

  static long sieveBytes(Request request, Hints hints) {
    return request.write() ? hints.sieveWriteBytes() : hints.sieveReadBytes();
  }

  /** The strands that hold something wanted, ascending. */
  static List<Integer> strands(Request request) {
    return StrandSearch.of(request).strands();
  }
}
