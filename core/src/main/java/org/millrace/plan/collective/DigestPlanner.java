package org.millrace.plan.collective;

import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.group.Digest;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * Plans a request of which each rank knows only a digest and its own part. The strategy, the
 * domains and whether ranks take turns depend on the digest and the hints alone, so all ranks plan
 * alike. The plan's request differs from rank to rank in what it says of single ranks.
 *
 * <p>Auto takes what it would take if the ranks of the sample were all. Where a node would have to
 * hear from all ranks the ranks send it lists instead: disk-directed requests are carried out
 * sieved. Holds no state.
 */
public final class DigestPlanner {

  private DigestPlanner() {}

  /**
   * The plan of a rank.
   *
   * @param request whose accesses are those that the rank knows of
   * @param digest of all accesses
   * @param reachable whether all ranks' memory can be reached by other threads
   */
  public static Planned plan(
      Request request, Digest digest, Hints hints, Costs costs, boolean reachable) {
    boolean overlapping = request.write() && digest.overlapping();
    Strategy wanted = request.strategy(hints);
    if (wanted == Strategy.AUTO) {
      wanted = Planner.plan(sample(request, digest), hints, costs, reachable).plan().strategy();
    }
    boolean exchanging = reachable && digest.ascending();
    Exchanges exchanges = Exchanges.ofSome(request, hints, gaps(digest, costs));
    Plan plan =
        switch (wanted) {
          case DIRECT -> new Plan.Direct(request, order(overlapping));
          case TWO_PHASE -> exchanging ? exchanges.twoPhase() : sieved(request, hints, overlapping);
          case EXTENDED_TWO_PHASE ->
              exchanging ? exchanges.extended() : sieved(request, hints, overlapping);
          case SIEVED, DISK_DIRECTED -> sieved(request, hints, overlapping);
          case AUTO -> throw new IllegalStateException("auto is not a plan");
        };
    return new Planned(plan, overlapping, List.of(), digest.sample().size());
  }

  /** The same plan, with what strategies would cost if the ranks of the sample were all. */
  public static Planned explain(
      Request request, Digest digest, Hints hints, Costs costs, boolean reachable) {
    Planned planned = plan(request, digest, hints, costs, reachable);
    Planned sampled = Planner.plan(sample(request, digest), hints, costs, reachable);
    return new Planned(planned.plan(), planned.overlapping(), sampled.all(), planned.steps());
  }

  /**
   * A request of which some ranks' accesses are known.
   *
   * @param known by rank; not changed any more
   */
  public static Request request(
      boolean write,
      Layout layout,
      Digest digest,
      NavigableMap<Integer, Access> known,
      Optional<Geometry> array) {
    return new Request(
        write, layout, new PartnerAccesses(digest.ranks(), known), array, digest.span());
  }

  /** The same plan for an aggregator that knows what its partners want. */
  public static Planned withPartners(Planned planned, Request partners) {
    Plan plan =
        switch (planned.plan()) {
          case Plan.TwoPhase it ->
              new Plan.TwoPhase(partners, it.domains(), it.chunkBytes(), it.depth());
          case Plan.ExtendedTwoPhase it ->
              new Plan.ExtendedTwoPhase(
                  partners, it.domains(), it.descriptor(), it.chunkBytes(), it.depth(), it.gaps());
          case Plan other -> other;
        };
    return new Planned(plan, planned.overlapping(), planned.all(), planned.steps());
  }

  private static Request sample(Request request, Digest digest) {
    return new Request(request.write(), request.layout(), digest.sample(), Optional.empty());
  }

  private static Plan sieved(Request request, Hints hints, boolean overlapping) {
    return new Plan.Sieved(request, Planner.sieveBytes(request, hints), order(overlapping));
  }

  /** Nobody knows what all others write. */
  private static WriteOrder order(boolean overlapping) {
    return overlapping ? WriteOrder.IN_TURNS : WriteOrder.ANY;
  }

  private static Gaps gaps(Digest digest, Costs costs) {
    return Exchanges.isDense((double) digest.bytes(), digest.span()) ? Gaps.ALL : costs.gaps();
  }
}
