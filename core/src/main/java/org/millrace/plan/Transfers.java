package org.millrace.plan;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Extent;
import org.millrace.layout.Layout;

/**
 * Who owns a byte of the file, and by whom a plan transfers it, for pictures. Owned by one thread.
 */
final class Transfers {

  /** Nobody has to do with a byte. */
  static final long NOBODY = -1;

  /** Several ranks want it. */
  static final long SEVERAL = -2;

  /** Minus the number of who transfers a byte that nobody wants. */
  static final long UNWANTED = -3;

  /** Of plans with more chunks than this only the first ones are drawn. */
  private static final int MOST_CHUNKS = 1 << 14;

  // constant after construction
  private final Plan plan;
  private final Layout layout;
  private final Wishes wishes;
  private final @Nullable Domains domains;
  private final TreeMap<Long, Chunk> chunks = new TreeMap<>();

  private final Map<Extent, Boolean> touched = new HashMap<>();

  private record Chunk(Extent extent, int rank) {}

  Transfers(Planned planned) {
    this.plan = planned.plan();
    this.layout = plan.request().layout();
    this.wishes = new Wishes(plan.request());
    this.domains =
        switch (plan) {
          case Plan.TwoPhase two -> two.domains();
          case Plan.ExtendedTwoPhase two -> two.domains();
          case Plan.Direct _, Plan.Sieved _, Plan.DiskDirected _ -> null;
        };
    if (plan instanceof Plan.ExtendedTwoPhase two) {
      for (int aggregator = 0; aggregator < two.domains().aggregators(); aggregator++) {
        Chunks cursor = Chunks.of(two, aggregator, true);
        while (chunks.size() < MOST_CHUNKS && cursor.next()) {
          Extent extent = cursor.pieces().extent();
          chunks.put(extent.offset(), new Chunk(extent, two.domains().rankOf(aggregator)));
        }
      }
    }
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
    long block = (offset - all.start()) / all.blockBytes();
    return all.rankOf((int) (block % all.aggregators()));
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
      case Plan.Direct _ -> wishes.runAt(offset) * 31 + offset / layout.stripeUnitBytes();
      case Plan.Sieved _ -> sieverAt(offset);
      case Plan.TwoPhase two -> {
        long inside = (offset - two.domains().start()) % two.domains().blockBytes();
        yield domainRank(offset) + inside / two.chunkBytes() * two.request().ranks();
      }
      case Plan.ExtendedTwoPhase _ -> Objects.requireNonNull(chunks.floorKey(offset));
      case Plan.DiskDirected _ ->
          layout.strandOffset(offset) / DomainPlanner.BLOCK_BYTES * layout.strands()
              + layout.strandOf(offset);
    };
  }

  /** By whom a byte is transferred. */
  long servedAt(long offset) {
    return switch (plan) {
      case Plan.Direct _ -> wishes.rankAt(offset);
      case Plan.Sieved _ -> sievedAt(offset);
      case Plan.TwoPhase two -> {
        Extent span = two.request().span();
        yield offset >= span.offset() && offset < span.end()
            ? marked(domainRank(offset), offset)
            : NOBODY;
      }
      case Plan.ExtendedTwoPhase _ -> {
        Map.Entry<Long, Chunk> chunk = chunks.floorEntry(offset);
        yield chunk != null && offset < chunk.getValue().extent.end()
            ? marked(chunk.getValue().rank, offset)
            : NOBODY;
      }
      case Plan.DiskDirected _ ->
          isBlockTouched(offset) ? marked(layout.strandOf(offset), offset) : NOBODY;
    };
  }

  private long marked(long who, long offset) {
    return wishes.rankAt(offset) == NOBODY ? UNWANTED - who : who;
  }

  private long sievedAt(long offset) {
    long wanted = wishes.rankAt(offset);
    if (wanted != NOBODY) {
      return wanted;
    }
    long siever = sieverAt(offset);
    return siever == NOBODY ? NOBODY : UNWANTED - siever;
  }

  /** The first rank whose lists pass a byte. */
  private long sieverAt(long offset) {
    for (int rank = 0; rank < plan.request().ranks(); rank++) {
      if (wishes.passes(rank, offset, DomainPlanner.BLOCK_BYTES)) {
        return rank;
      }
    }
    return NOBODY;
  }

  /** Whether somebody wants something of the block of a strand in which a byte lies. */
  private boolean isBlockTouched(long offset) {
    int strand = layout.strandOf(offset);
    long from = layout.strandOffset(offset);
    from -= from % DomainPlanner.BLOCK_BYTES;
    long part = Math.min(layout.stripeUnitBytes(), DomainPlanner.BLOCK_BYTES);
    for (long done = 0; done < DomainPlanner.BLOCK_BYTES; ) {
      long at = layout.fileOffset(strand, from + done);
      long left = layout.stripeUnitBytes() - at % layout.stripeUnitBytes();
      long length = Math.min(Math.min(left, part), DomainPlanner.BLOCK_BYTES - done);
      if (touched.computeIfAbsent(new Extent(at, length), wishes::wantsAny)) {
        return true;
      }
      done += length;
    }
    return false;
  }
}
