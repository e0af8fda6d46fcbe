package org.millrace.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.millrace.access.Extent;

/**
 * Why a request is carried out as it is: the request in numbers, what each strategy would cost, and
 * which was taken. Immutable.
 *
 * @param request what all ranks want
 * @param runs in how many runs, of all ranks together
 * @param distinctBytes an estimate of how many different bytes that are
 * @param hints what the program said
 * @param planned what was planned, and the estimates
 * @param why one sentence
 * @param domains the file domains if a two-phase strategy was taken, else none
 */
public record Explanation(
    Request request,
    long runs,
    long distinctBytes,
    Hints hints,
    Planned planned,
    String why,
    List<Domain> domains) {

  /** Tables of more than so many questions are not made. */
  private static final long MOST_QUESTIONS = 1 << 20;

  /** Keeps a copy of the list. */
  public Explanation {
    domains = List.copyOf(domains);
  }

  /**
   * A file domain.
   *
   * @param rank its owner
   * @param extent its first block
   * @param blocks how many blocks it has; 1 unless domains are block-cyclic
   * @param wantedBytes bytes wanted of it, each as often as it is wanted; none if counting would
   *     have taken long
   */
  public record Domain(int rank, Extent extent, long blocks, OptionalLong wantedBytes) {}

  /** Explains how a request would be carried out; the arguments are those of the planner. */
  public static Explanation of(Request request, Hints hints, Costs costs, boolean reachable) {
    return of(hints, Planner.plan(request, hints, costs, reachable), reachable);
  }

  /** Explains a plan. */
  public static Explanation of(Hints hints, Planned planned, boolean reachable) {
    Request request = planned.plan().request();
    Census census = new Census(request);
    return new Explanation(
        request,
        census.runs(),
        census.together(1).bytes(),
        hints,
        planned,
        why(hints.strategy(request.write()), planned, reachable),
        domains(planned.plan()));
  }

  private static String why(Strategy wanted, Planned planned, boolean reachable) {
    Strategy taken = planned.plan().strategy();
    if (wanted != Strategy.AUTO && wanted != taken) {
      return "some memory can be reached by its rank's thread only, so %s became %s"
          .formatted(wanted.word(), taken.word());
    }
    if (wanted != Strategy.AUTO) {
      return "the hints name it";
    }
    Estimate next =
        planned.all().stream()
            .filter(one -> one.strategy() != taken)
            .min(Comparator.comparingDouble(Estimate::nanos))
            .orElseThrow();
    double times = next.nanos() / Math.max(1, planned.taken().nanos());
    String among = reachable ? "" : " of those that need not reach other ranks' memory";
    return times < 1.005
        ? "the cheapest by the cost model%s, though %s would be as good"
            .formatted(among, next.strategy().word())
        : "the cheapest by the cost model%s; the next, %s, would take %s times as long"
            .formatted(among, next.strategy().word(), Amounts.number(times));
  }

  private static List<Domain> domains(Plan plan) {
    return switch (plan) {
      case Plan.TwoPhase two -> domains(two.request(), two.domains());
      case Plan.ExtendedTwoPhase two -> domains(two.request(), two.domains());
      case Plan.Direct _, Plan.Sieved _, Plan.DiskDirected _ -> List.of();
    };
  }

  private static List<Domain> domains(Request request, Domains domains) {
    List<Domain> list = new ArrayList<>();
    boolean isCounted = domains.blocks() <= MOST_QUESTIONS / request.ranks();
    for (int aggregator = 0; aggregator < domains.aggregators(); aggregator++) {
      long blocks = Math.ceilDiv(Math.max(0, domains.blocks() - aggregator), domains.aggregators());
      list.add(
          new Domain(
              domains.rankOf(aggregator),
              blocks == 0 ? new Extent(domains.end(), 0) : domains.block(aggregator),
              blocks,
              isCounted
                  ? OptionalLong.of(DomainTable.of(request, domains, aggregator).bytes())
                  : OptionalLong.empty()));
    }
    return list;
  }

  /** For people: a few lines and two tables. */
  public String toText() {
    return ExplanationText.of(this);
  }

  /** For programs: one JSON object. */
  public String toJson() {
    return ExplanationJson.of(this);
  }
}
