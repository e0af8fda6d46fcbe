package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Domains;
import org.millrace.plan.Estimate;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * Explains a plan: the request in numbers, the estimated cost of each strategy, and the chosen one.
 * Immutable.
 *
 * @param request what all ranks want
 * @param runs in how many runs, of all ranks together
 * @param distinctBytes an estimate of how many different bytes that are
 * @param hints what the program said
 * @param planned what was planned, and the estimates
 * @param why one sentence
 * @param descriptor the file access descriptor, if the extended two-phase strategy was taken for
 *     parts of an array
 * @param domains the file domains if a two-phase strategy was taken, else none
 */
public record Explanation(
    Request request,
    long runs,
    long distinctBytes,
    Hints hints,
    Planned planned,
    String why,
    Optional<AccessDescriptor> descriptor,
    List<Domain> domains) {

  /** Chunks are counted up to so many, times ranks. */
  private static final long MAX_STEPS = 1 << 20;

  /** Runs of a chunk that are compared byte by byte. */
  private static final int MAX_RUNS = 1 << 16;

  /** Of block-cyclic domains the tables of so many blocks are kept. */
  private static final long MAX_TABLES = 4;

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
   * @param tables the file domain access tables of its first blocks, if ranks want sections of an
   *     array
   * @param counted what its owner transfers; none if counting would have taken long
   */
  public record Domain(
      int rank, Extent extent, long blocks, List<DomainTable> tables, Optional<Counted> counted) {

    /** Keeps a copy of the list. */
    public Domain {
      tables = List.copyOf(tables);
    }
  }

  /**
   * What an aggregator transfers between its file domain and its buffers, chunk by chunk.
   *
   * @param wantedBytes what ranks get or give, each byte as often as it is wanted
   * @param transfers how many chunks
   * @param bytes of the chunks
   * @param unwantedBytes those of them that no rank wants; at least so many where the pieces of a
   *     chunk have very many runs
   */
  public record Counted(long wantedBytes, long transfers, long bytes, long unwantedBytes) {

    Counted plus(Counted other) {
      return new Counted(
          wantedBytes + other.wantedBytes,
          transfers + other.transfers,
          bytes + other.bytes,
          unwantedBytes + other.unwantedBytes);
    }
  }

  /** What all aggregators transfer; none if that was not counted. */
  public Optional<Counted> counted() {
    Counted sum = new Counted(0, 0, 0, 0);
    for (Domain one : domains) {
      if (one.counted.isEmpty()) {
        return Optional.empty();
      }
      sum = sum.plus(one.counted.get());
    }
    return domains.isEmpty() ? Optional.empty() : Optional.of(sum);
  }

  /** Explains how a request would be carried out; the arguments are those of the planner. */
  public static Explanation of(Request request, Hints hints, Costs costs, boolean reachable) {
    return of(hints, Planner.plan(request, hints, costs, reachable), reachable);
  }

  /** Explains a plan. */
  public static Explanation of(Hints hints, Planned planned, boolean reachable) {
    Request request = planned.plan().request();
    RequestStats stats = new RequestStats(request);
    return new Explanation(
        request,
        stats.runs(),
        stats.together(1).bytes(),
        hints,
        planned,
        why(request.strategy(hints), planned, reachable),
        planned.plan() instanceof Plan.Exchanging plan ? plan.descriptor() : Optional.empty(),
        planned.plan() instanceof Plan.Exchanging plan ? domains(plan) : List.of());
  }

  private static String why(Strategy wanted, Planned planned, boolean reachable) {
    Strategy taken = planned.plan().strategy();
    if (wanted != Strategy.AUTO && wanted != taken) {
      String why =
          reachable
              ? "some rank's view does not ascend"
              : "some memory can be reached by its rank's thread only";
      return why + ", so %s became %s".formatted(wanted.word(), taken.word());
    }
    if (wanted != Strategy.AUTO) {
      return "the hints name it";
    }
    Estimate next =
        planned.all().stream()
            .filter(one -> one.strategy() != taken)
            .min(Comparator.comparingDouble(Estimate::nanos))
            .orElseThrow();
    double times = next.nanos() / Math.max(1, planned.choice().taken().nanos());
    String among = reachable ? "" : " of those that need not reach other ranks' memory";
    return times < 1.005
        ? "the cheapest by the cost model%s, though %s would be as good"
            .formatted(among, next.strategy().word())
        : "the cheapest by the cost model%s; the next, %s, would take %s times as long"
            .formatted(among, next.strategy().word(), threeDigits(times));
  }

  private static String threeDigits(double times) {
    String form = times >= 100 ? "%.0f" : times >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, form, times);
  }

  private static List<Domain> domains(Plan.Exchanging plan) {
    Domains domains = plan.domains();
    List<Domain> list = new ArrayList<>();
    long steps = 0;
    for (int aggregator = 0; aggregator < domains.aggregators(); aggregator++) {
      long blocks = Math.ceilDiv(Math.max(0, domains.blocks() - aggregator), domains.aggregators());
      List<DomainTable> tables = new ArrayList<>();
      if (plan.descriptor().isPresent()) {
        for (long i = 0; i < Math.min(blocks, MAX_TABLES); i++) {
          Extent block = domains.block(aggregator + i * domains.aggregators());
          tables.addAll(DomainTable.of(plan.descriptor().get(), block));
        }
      }
      Optional<Counted> counted = count(plan, aggregator, MAX_STEPS - steps);
      steps += counted.isPresent() ? counted.get().transfers * plan.request().ranks() : MAX_STEPS;
      list.add(
          new Domain(
              domains.rankOf(aggregator),
              blocks == 0 ? new Extent(domains.end(), 0) : domains.block(aggregator),
              blocks,
              tables,
              counted));
    }
    return list;
  }

  /** Goes through all chunks of an aggregator, as the transfer would. */
  private static Optional<Counted> count(Plan.Exchanging plan, int aggregator, long maxSteps) {
    long steps = 0;
    Counted sum = new Counted(0, 0, 0, 0);
    Chunks chunks = Chunks.of(plan, aggregator, true);
    while (steps < maxSteps && chunks.next()) {
      steps += plan.request().ranks();
      Chunk chunk = chunks.chunk();
      long wanted = 0;
      for (Piece one : chunk.pieces()) {
        wanted += one.bytes();
      }
      long distinct = distinct(chunk);
      sum = sum.plus(new Counted(wanted, 1, chunk.bytes(), Math.max(0, chunk.bytes() - distinct)));
    }
    return steps < maxSteps ? Optional.of(sum) : Optional.empty();
  }

  /** How many bytes of a chunk are wanted; an upper bound if there are very many runs. */
  private static long distinct(Chunk chunk) {
    List<Extent> runs = new ArrayList<>();
    Set<Piece> different = new HashSet<>();
    long sum = 0;
    for (Piece one : chunk.pieces()) {
      if (different.add(new Piece(0, one.from(), one.to(), one.places()))) {
        sum += one.bytes();
        Runs vectors =
            one.places().pattern().runs(one.places().from(), one.places().from() + one.bytes());
        while (vectors.next() && runs.size() <= MAX_RUNS) {
          for (long i = 0; i < vectors.count() && runs.size() <= MAX_RUNS; i++) {
            runs.add(new Extent(vectors.offset() + i * vectors.stride(), vectors.length()));
          }
        }
      }
    }
    if (different.size() == 1 || runs.size() > MAX_RUNS) {
      return Math.min(sum, chunk.bytes());
    }
    runs.sort(Comparator.comparingLong(Extent::offset));
    long union = 0;
    long end = 0;
    for (Extent one : runs) {
      union += Math.max(0, one.end() - Math.max(end, one.offset()));
      end = Math.max(end, one.end());
    }
    return union;
  }
}
