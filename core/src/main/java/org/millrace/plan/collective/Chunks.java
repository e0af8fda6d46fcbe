package org.millrace.plan.collective;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.access.Section;
import org.millrace.access.copy.Places;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Domains;

/**
 * A cursor over the chunks of an aggregator's file domain, by ascending offset, each no larger than
 * a buffer.
 *
 * <p>Of sections of an array the aggregator reads the covering section of its {@link DomainTable}:
 * as many columns at a time as the buffer holds, as many rows of one column where that is too much.
 * A chunk is again a section, and so is each rank's piece of it:
 *
 * <pre>
 *   domain         columns 8 to 15            rank 0 wants  2:5, 9:12      rank 1 wants  4:8, 10:14
 *   covering       2:8, 9:14
 *   chunks         2:8, 9:11    2:8, 12:14    of 21 elements each, and the gaps between columns if
 *                                             they are cheaper to read than to leave out
 * </pre>
 *
 * Of other views a chunk is a list of what any rank wants, without the gaps that are cheaper to
 * leave out, as much of it as the buffer holds. Where all gaps are read along, and of the two-phase
 * method, chunks are extents: of the two-phase method all of the domain within the request's span,
 * unless few ranks want the same {@link SharedUnits}.
 *
 * <p>Stretches that no rank wants are jumped over by arithmetic. A step costs O(ranks * depth), of
 * ranks that want something of the domain if it is in one piece; of lists also some time for each
 * gap that is left out. Nothing is kept from step to step but the table of the block, or a cursor
 * for each different access.
 *
 * <p>Owned by one thread.
 */
public final class Chunks {

  /** Bounds what a list takes in memory and in a request. */
  private static final int MAX_VECTORS = 512;

  /** So many pieces of a chunk, and shorter ones, cost more as messages than their bytes do. */
  private static final int MANY_PIECES = 32;

  private static final long MIN_PIECE_BYTES = 4 << 10;

  // constant after construction
  private final PieceFinder finder;
  private final List<Access> accesses;
  private final @Nullable AccessDescriptor descriptor;
  private final Domains domains;
  private final Extent span;
  private final int aggregator;
  private final long chunkBytes;
  private final int depth;
  private final long blockBytes;
  private final Gaps gaps;
  private final boolean whole;
  private final boolean lists;
  private final boolean overlapping;
  private final @Nullable SharedUnits units;

  /** The block of the domain that is being gone through, and up to where. */
  private long block;

  private long at;

  // of sections: the tables of the block to come, and what is left of the one being gone through
  private final ArrayDeque<DomainTable> tables = new ArrayDeque<>();
  private @Nullable DomainTable table;
  private @Nullable Stretches stretches;
  private SectionPacking.@Nullable Parts parts;

  // of other views whose gaps may be left out: what is wanted of the block
  private @Nullable WantedRuns wanted;

  private @Nullable Chunk chunk;

  /**
   * The cursor of an aggregator of a plan, over {@code larger} times larger chunks.
   *
   * @param units the units of its domain, if chunks are made of those that the same ranks want
   */
  private Chunks(
      Plan.Exchanging plan,
      int aggregator,
      boolean overlapping,
      int larger,
      @Nullable SharedUnits units) {
    if (aggregator < 0 || aggregator >= plan.domains().aggregators()) {
      throw new IllegalArgumentException(
          "aggregator %s of %s".formatted(aggregator, plan.domains().aggregators()));
    }
    boolean alone = plan.domains().blocks() <= plan.domains().aggregators(); // one block for each
    this.finder =
        alone && aggregator < plan.domains().blocks()
            ? new PieceFinder(plan.request(), plan.domains().block(aggregator))
            : new PieceFinder(plan.request());
    this.accesses = plan.request().accesses();
    this.descriptor = plan.descriptor().filter(AccessDescriptor::isExact).orElse(null);
    this.domains = plan.domains();
    this.span = plan.request().span();
    this.aggregator = aggregator;
    this.chunkBytes = plan.chunkBytes() * larger;
    this.depth = plan.depth() / larger;
    this.blockBytes = plan.request().blockBytes();
    this.gaps = plan.gaps();
    this.whole = plan instanceof Plan.TwoPhase;
    this.lists = descriptor == null && gaps.listBytes() < Long.MAX_VALUE;
    this.overlapping = overlapping;
    this.units = units;
    this.block = aggregator;
    this.at = span.offset();
    enterBlock();
  }

  /**
   * The chunks of an aggregator. Where many ranks have short pieces of each, units that the same
   * ranks want make a chunk, if that is possible ({@link SharedUnits}). If not, chunks are larger
   * than the plan says, and fewer are under way in the same memory, where the same ranks have
   * pieces of one chunk after the other. One message brings each of them what would have been two
   * or more.
   *
   * @param overlapping whether different ranks may want the same byte, as {@link Overlaps} says;
   *     true is always safe
   */
  public static Chunks of(Plan.Exchanging plan, int aggregator, boolean overlapping) {
    Chunks planned = new Chunks(plan, aggregator, overlapping, 1, null);
    int partners = planned.partners();
    if (partners < MANY_PIECES || plan.chunkBytes() >= partners * MIN_PIECE_BYTES) {
      return planned; // even if all of them have a piece of each chunk
    }
    SharedUnits units = planned.isWholeDomain() ? planned.sharedUnits(plan.request()) : null;
    return units != null
        ? new Chunks(plan, aggregator, overlapping, 1, units)
        : new Chunks(plan, aggregator, overlapping, larger(planned, plan.depth()), null);
  }

  /** Whether chunks are extents of a domain in one piece. */
  private boolean isWholeDomain() {
    return whole && domains.blocks() <= domains.aggregators() && aggregator < domains.blocks();
  }

  private @Nullable SharedUnits sharedUnits(Request request) {
    Extent domain = domains.block(aggregator).intersect(span);
    return SharedUnits.of(finder, domain, request.layout().stripeUnitBytes());
  }

  /** How much larger chunks should be than those of a cursor that was made for this question. */
  private static int larger(Chunks planned, int depth) {
    if (!planned.next()) {
      return 1;
    }
    int larger = 1;
    int pieces = planned.chunk().pieces().size();
    boolean again = 2 * pieces > planned.partners(); // else the next chunk has those of others
    while (again
        && planned.chunk().bytes() * larger < pieces * MIN_PIECE_BYTES
        && 2 * larger <= depth) {
      larger *= 2;
    }
    return larger;
  }

  /** Bytes of each buffer. */
  public long chunkBytes() {
    return chunkBytes;
  }

  /** How many buffers there are: chunks under way at the same time. */
  public int depth() {
    return depth;
  }

  /** How many ranks are looked at for each chunk. */
  public int partners() {
    return finder.partners();
  }

  /** How many ranks were looked at to find those, and who wants the same. */
  public int looked() {
    return finder.looked() + (units == null ? 0 : finder.partners());
  }

  /** The chunk that the cursor stands on. */
  public Chunk chunk() {
    if (chunk == null) {
      throw new IllegalStateException("the cursor stands on no chunk");
    }
    return chunk;
  }

  /** Goes to the next chunk, the first one at first. False if there is none. */
  public boolean next() {
    chunk = null;
    while (chunk == null && block < domains.blocks()) {
      if (units != null) {
        chunk = nextOf(units);
      } else if (lists) {
        chunk = nextList();
      } else {
        chunk = descriptor == null || whole ? nextExtent() : nextSection(descriptor.array());
      }
      if (chunk == null) {
        nextBlock();
      }
    }
    return chunk != null;
  }

  private void enterBlock() {
    if (descriptor != null && !whole && block < domains.blocks()) {
      tables.addAll(DomainTable.of(descriptor, domains.block(block)));
    } else if (lists && block < domains.blocks()) {
      wanted = finder.wanted(domains.block(block), gaps.listBytes());
    }
  }

  private @Nullable Chunk nextSection(Geometry array) {
    while (true) {
      if (parts != null && table != null && parts.hasNext()) {
        return chunk(array, parts.next(), table);
      } else if (stretches != null && stretches.hasNext()) {
        parts = new SectionPacking.Parts(array, stretches.next(), gaps.listBytes(), chunkBytes);
      } else if (!tables.isEmpty()) {
        table = tables.remove();
        stretches = new Stretches(array, table, gaps);
      } else {
        return null;
      }
    }
  }

  private Chunk chunk(Geometry array, Section part, DomainTable of) {
    SectionPacking reading = SectionPacking.of(array, part, gaps.listBytes());
    List<Piece> pieces = new ArrayList<>();
    for (int rank = 0; rank < of.rows().size(); rank++) {
      Section wanted = of.rows().get(rank).intersect(part);
      if (!wanted.isEmpty()) {
        Access access = accesses.get(rank);
        long from = access.from() + access.below(array.firstOffset(wanted));
        long bytes = wanted.elements() * array.elementBytes();
        pieces.add(new Piece(rank, from, from + bytes, new Places(reading.places(wanted), 0)));
      }
    }
    return Chunk.of(reading.access(), pieces, overlapping);
  }

  /** The next list of what is wanted of the block that is being gone through. */
  private @Nullable Chunk nextList() {
    WantedRuns rest = wanted;
    if (rest == null || rest.isEmpty()) {
      return null;
    }
    RunList list = new RunList();
    long first = rest.offset();
    boolean cut = false;
    while (!cut && !rest.isEmpty() && list.bytes() < chunkBytes && list.vectors() < MAX_VECTORS) {
      Extent run = Extent.between(rest.offset(), rest.end());
      at = chunkEnd(run.offset(), run.end(), chunkBytes - list.bytes());
      cut = at < run.end();
      if (cut) { // perhaps in a gap
        rest.pass(finder.trim(Extent.between(at, run.end())).offset());
        at = finder.trim(Extent.between(run.offset(), at)).end();
      } else {
        rest.pass(at);
      }
      list.add(run.offset() - first, at - run.offset());
    }
    return finder.chunk(Extent.between(first, at), list.pattern(), gaps.listBytes(), overlapping);
  }

  private @Nullable Chunk nextOf(SharedUnits some) {
    SharedUnits.Part part = some.next(chunkBytes);
    return part == null
        ? null
        : part.finder().chunk(part.extent(), part.units().pattern(), 0, overlapping);
  }

  /** The next chunk of bytes of the block that is being gone through. */
  private @Nullable Chunk nextExtent() {
    Extent rest = domains.block(block).intersect(Extent.between(at, Math.max(at, span.end())));
    Extent some = rest.isEmpty() || whole ? rest : finder.trim(rest);
    if (some.isEmpty()) {
      return null;
    }
    at = chunkEnd(some.offset(), some.end(), chunkBytes);
    Extent extent = Extent.between(some.offset(), at);
    return finder.chunk(whole ? extent : finder.trim(extent), overlapping);
  }

  /**
   * Where a run ends that a buffer has so much room for: if it must be cut, on the end of a block
   * of the file if one is near, so that no block is visited for two chunks.
   */
  private long chunkEnd(long start, long end, long room) {
    if (end - start <= room) {
      return end;
    }
    long aligned = start + room - (start + room) % blockBytes;
    return chunkBytes >= 2 * blockBytes && aligned > start ? aligned : start + room;
  }

  /**
   * Goes to the aggregator's next block that may hold something. Blocks below the next wanted
   * offset are left out together.
   */
  private void nextBlock() {
    long from = Math.max(at, domains.block(block).end());
    Extent behind = Extent.between(from, Math.max(from, span.end()));
    Extent next = behind.isEmpty() || whole ? behind : finder.trim(behind);
    if (next.isEmpty()) {
      block = domains.blocks();
      return;
    }
    long turns =
        Math.ceilDiv(
            Math.max(0, domains.blockOf(next.offset()) - aggregator), domains.aggregators());
    block = Math.max(block + domains.aggregators(), aggregator + turns * domains.aggregators());
    if (block < domains.blocks()) {
      at = Math.max(from, domains.block(block).offset());
      enterBlock();
    }
  }
}
