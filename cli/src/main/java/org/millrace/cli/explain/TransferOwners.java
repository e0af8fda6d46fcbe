package org.millrace.cli.explain;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.layout.Layout;
import org.millrace.plan.Domains;
import org.millrace.plan.collective.Chunks;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;

/**
 * The owner of each byte of the file, and the rank or node that transfers it, for pictures. Owned
 * by one thread.
 */
final class TransferOwners {

  /** Nobody has to do with a byte. */
  static final long NOBODY = -1;

  /** Several ranks want it. */
  static final long SEVERAL = -2;

  /** Minus the number of who transfers a byte that nobody wants. */
  static final long UNWANTED = -3;

  /** Of plans with more runs than this only the first ones are drawn. */
  private static final int MAX_RUNS = 1 << 16;

  // constant after construction
  private final Plan plan;
  private final Layout layout;
  private final RequestedBytes requested;
  private final @Nullable Domains domains;
  private final TreeMap<Long, Run> runs = new TreeMap<>();

  private final Map<Extent, Boolean> touched = new HashMap<>();

  /** A contiguous part of a chunk: whose chunk, and its number. */
  private record Run(long end, int rank, long chunk) {}

  TransferOwners(Planned planned) {
    this.plan = planned.plan();
    this.layout = plan.request().layout();
    this.requested = new RequestedBytes(plan.request());
    this.domains =
        switch (plan) {
          case Plan.Exchanging exchanging -> exchanging.domains();
          case Plan.Direct _, Plan.Sieved _, Plan.DiskDirected _ -> null;
        };
    if (plan instanceof Plan.Exchanging exchanging) {
      for (int aggregator = 0; aggregator < exchanging.domains().aggregators(); aggregator++) {
        addChunks(exchanging, aggregator);
      }
    }
  }

  private void addChunks(Plan.Exchanging exchanging, int aggregator) {
    Chunks cursor = Chunks.of(exchanging, aggregator, true);
    while (runs.size() < MAX_RUNS && cursor.next()) {
      Access access = cursor.chunk().access();
      int rank = exchanging.domains().rankOf(aggregator);
      long number = access.view().offsetOf(access.from());
      Runs vectors = access.view().runs(access.from(), access.to());
      while (vectors.next() && runs.size() < MAX_RUNS) {
        for (long i = 0; i < vectors.count() && runs.size() < MAX_RUNS; i++) {
          long from = vectors.offset() + i * vectors.stride();
          runs.put(from, new Run(from + vectors.length(), rank, number));
        }
      }
    }
  }

  private @Nullable Run runAt(long offset) {
    Map.Entry<Long, Run> found = runs.floorEntry(offset);
    return found != null && offset < found.getValue().end ? found.getValue() : null;
  }

  @Nullable Domains domains() {
    return domains;
  }

  /** How many owners there may be. */
  int owners() {
    return domains != null ? plan.request().ranks() : layout.strands();
  }

  /** The rank of a byte's domain, or its strand. */
  long ownerAt(long offset) {
    if (domains == null) {
      return layout.strandOf(offset);
    }
    return offset < domains.start() || offset >= domains.end() ? NOBODY : domainRank(offset);
  }

  private long domainRank(long offset) {
    Domains all = Objects.requireNonNull(domains);
    return all.rankOf((int) (all.blockOf(offset) % all.aggregators()));
  }

  /** How many may transfer something. */
  int served() {
    return plan instanceof Plan.DiskDirected ? layout.strands() : plan.request().ranks();
  }

  /** What they are. */
  String servedWord() {
    return plan instanceof Plan.DiskDirected ? "strand" : "rank";
  }

  /** A number that bytes of one transfer have in common, and no others near them. */
  long transferAt(long offset) {
    if (servedAt(offset) == NOBODY) {
      return NOBODY;
    }
    return switch (plan) {
      case Plan.Direct _ -> requested.runAt(offset) * 31 + offset / layout.stripeUnitBytes();
      case Plan.Sieved _ -> sieverAt(offset);
      case Plan.Exchanging _ -> Objects.requireNonNull(runAt(offset)).chunk;
      case Plan.DiskDirected _ ->
          layout.strandOffset(offset) / layout.blockBytes() * layout.strands()
              + layout.strandOf(offset);
    };
  }

  /** By whom a byte is transferred. */
  long servedAt(long offset) {
    return switch (plan) {
      case Plan.Direct _ -> requested.rankAt(offset);
      case Plan.Sieved _ -> sievedAt(offset);
      case Plan.Exchanging _ -> {
        Run run = runAt(offset);
        yield run == null ? NOBODY : marked(run.rank, offset);
      }
      case Plan.DiskDirected _ ->
          isBlockTouched(offset) ? marked(layout.strandOf(offset), offset) : NOBODY;
    };
  }

  private long marked(long who, long offset) {
    return requested.rankAt(offset) == NOBODY ? UNWANTED - who : who;
  }

  private long sievedAt(long offset) {
    long wanted = requested.rankAt(offset);
    if (wanted != NOBODY) {
      return wanted;
    }
    long siever = sieverAt(offset);
    return siever == NOBODY ? NOBODY : UNWANTED - siever;
  }

  /** The first rank whose lists pass a byte. */
  private long sieverAt(long offset) {
    for (int rank = 0; rank < plan.request().ranks(); rank++) {
      if (requested.passes(rank, offset, layout.blockBytes())) {
        return rank;
      }
    }
    return NOBODY;
  }

  /** Whether somebody wants something of the block of a strand in which a byte lies. */
  private boolean isBlockTouched(long offset) {
    int strand = layout.strandOf(offset);
    long from = layout.strandOffset(offset);
    from -= from % layout.blockBytes();
    long part = Math.min(layout.stripeUnitBytes(), layout.blockBytes());
    for (long done = 0; done < layout.blockBytes(); ) {
      long at = layout.fileOffset(strand, from + done);
      long left = layout.stripeUnitBytes() - at % layout.stripeUnitBytes();
      long length = Math.min(Math.min(left, part), layout.blockBytes() - done);
      if (touched.computeIfAbsent(new Extent(at, length), requested::wantsAny)) {
        return true;
      }
      done += length;
    }
    return false;
  }
}
