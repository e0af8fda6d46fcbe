package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.View;
import org.millrace.error.DeadlineException;
import org.millrace.layout.Copies;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Transfers accesses between a file and memory with lists that the owners of the blocks apply: one
 * request to each strand that is touched, all at the same time. If the memory of a strand's node
 * can be mapped, this side copies large accesses itself ({@link PinnedMove}).
 *
 * <p>Safe for use by several threads; holds no state but the file's identity, places that may be
 * outdated, and what nodes keep for its writes. Closing gives that back; it can still be used.
 */
final class ListTransfer implements AutoCloseable {

  /** What is done with the bytes. */
  enum Move {
    READ,
    WRITE,
    /** They are written and will be flushed soon: disks begin at once. */
    WRITE_TO_FLUSH
  }

  /** No bytes that disks are to be told of. */
  static final Extent NOTHING = new Extent(0, 0);

  // constant after construction
  private final TransferContext carrier;
  private final Layout layout;
  private final long file;
  private final StrandLinks links;
  private final BooleanSupplier open;

  /** Of the strands that were read. */
  private final Map<Integer, KnownBlocks> known = new ConcurrentHashMap<>();

  /** Of the strands that were written. */
  private final Map<Integer, RepeatedWrites> repeated = new ConcurrentHashMap<>();

  /** {@code open}: whether it can be seen that this session still has the file open. */
  ListTransfer(
      TransferContext carrier, Layout layout, long file, StrandLinks links, BooleanSupplier open) {
    this.carrier = carrier;
    this.layout = layout;
    this.file = file;
    this.links = links;
    this.open = open;
  }

  /** Begins to move a whole access: one request for each strand that is touched. */
  List<Pending> start(Move move, Access access, Payload payload) {
    return start(move, access, payload, NOTHING);
  }

  /**
   * As {@link #start}, of a read before which disks are told what they will have to read, where it
   * is not known that all is in memory.
   *
   * @param ahead bytes of the file
   */
  List<Pending> startRead(Access access, Payload payload, Extent ahead) {
    return start(Move.READ, access, payload, ahead);
  }

  private List<Pending> start(Move move, Access access, Payload payload, Extent ahead) {
    boolean write = move != Move.READ;
    int[] order =
        StrandOrder.of(
            layout.touches(access.view(), access.from(), access.to()), carrier.participant());
    List<Pending> pending = new ArrayList<>();
    int strands = order.length;
    // bytes that are written twice must end as the later position has them, also if it is tried
    // again
    boolean mayPin = !write || access.view().isDisjoint();
    List<Integer> here = new ArrayList<>();
    for (int s : order) {
      Link link = links.get(s);
      MappedSlabs slabs = mayPin ? link.reached() : null;
      if (link.maxPayloadBytes() == Long.MAX_VALUE) {
        announce(s, ahead);
        here.add(s); // a method call: while it works, the others have begun
        continue;
      }
      Pending kept = move == Move.WRITE && slabs != null ? kept(slabs, s, access, payload) : null;
      if (kept != null) {
        pending.add(kept);
      } else if (slabs != null
          && slabs.isUseful()
          && (access.size() / strands >= slabs.minBytes() || (!write && isWorthPinning(s)))) {
        PinnedMove.Target target = target(link, slabs, write, s, strands, ahead);
        pending.add(new PinnedMove(target, write, access, payload));
      } else {
        announce(s, ahead);
        pending.add(link.start(list(move, s, access), payload));
      }
    }
    for (int s : here) {
      pending.add(links.get(s).start(list(move, s, access), payload));
    }
    return pending;
  }

  /** Writes into blocks that the node of a strand keeps, if that is worth it; else null. */
  private @Nullable Pending kept(MappedSlabs slabs, int s, Access access, Payload payload) {
    boolean small = access.size() <= links.count() * RepeatedWrites.maxBytes(layout.blockBytes());
    if (!small || !slabs.isUseful() || Copies.hasCopies(file)) {
      return null;
    }
    RepeatedWrites writes = repeated.computeIfAbsent(s, _ -> new RepeatedWrites(slabs.minWrites()));
    return KeptMove.start(writes, target(links.get(s), slabs, s), access, payload);
  }

  /**
   * Whether writes that come again are likely to need no message, as far as nodes have not refused
   * to keep their blocks lately.
   */
  boolean isKeeping() {
    long now = carrier.env().coarseNanoTime();
    boolean all = !Copies.hasCopies(file);
    for (RepeatedWrites one : repeated.values()) {
      all &= one.isPromising(now);
    }
    return all;
  }

  private PinTarget target(Link link, MappedSlabs slabs, int s) {
    return new PinTarget(carrier.env(), link, slabs, new StrandId(file, s), layout);
  }

  private PinnedMove.Target target(
      Link link, MappedSlabs slabs, boolean write, int s, int strands, Extent ahead) {
    long max = slabs.windowBytes();
    long first = strands == 1 ? max : max / 2;
    return new PinnedMove.Target(
        target(link, slabs, s), first, max, write ? null : known(s), () -> announce(s, ahead));
  }

  private boolean isWorthPinning(int s) {
    KnownBlocks blocks = known(s);
    return blocks != null && blocks.isWorthPinning();
  }

  /**
   * Whether the file has at least {@code enough} bytes, as far as blocks show that are known to be
   * in reach. False if a node has to be asked.
   */
  boolean isKnownToReach(long enough) {
    int s = layout.strandOf(enough - 1);
    MappedSlabs slabs = links.get(s).reached();
    KnownBlocks blocks = known(s);
    return slabs != null
        && slabs.isUseful()
        && blocks != null
        && links.get(s).isConnected()
        && blocks.reaches(slabs, endIn(enough), carrier.env().coarseNanoTime());
  }

  /** As {@link #isKnownToReach}, where a node may be asked to pin the block if that will pay. */
  boolean showsReach(long enough) throws DeadlineException {
    if (isKnownToReach(enough)) {
      return true;
    }
    int s = layout.strandOf(enough - 1);
    Link link = links.get(s);
    MappedSlabs slabs = link.reached();
    KnownBlocks blocks = known(s);
    return slabs != null
        && slabs.isUseful()
        && blocks != null
        && blocks.isAskedAgain(endIn(enough))
        && pinned(target(link, slabs, false, s, 1, NOTHING), enough - 1)
        && isKnownToReach(enough);
  }

  /** Where the file's first bytes end in the strand that has the last of them. */
  private long endIn(long enough) {
    return layout.strandOffset(enough - 1) + 1;
  }

  /** Reads a byte, so that its block is known. False if that fails: its strand may reach it. */
  private boolean pinned(PinnedMove.Target target, long offset) throws DeadlineException {
    Access one = new Access(View.WHOLE, offset, offset + 1);
    Payload nowhere = Payload.of(MemorySegment.ofArray(new byte[1]));
    try {
      new PinnedMove(target, false, one, nowhere).await(carrier.deadline());
      return true;
    } catch (DeadlineException e) {
      throw e;
    } catch (IOException e) {
      return false; // the question that follows says what is wrong, if that matters
    }
  }

  private void announce(int s, Extent ahead) {
    long from = layout.strandSize(s, ahead.offset());
    long to = layout.strandSize(s, ahead.end());
    if (to > from) {
      links.get(s).hint(StrandId.key(file, s), from, to - from);
    }
  }

  /** None of strands with copies, which go from node to node. */
  private @Nullable KnownBlocks known(int s) {
    return Copies.hasCopies(file)
        ? null
        : known.computeIfAbsent(s, _ -> new KnownBlocks(layout.blockBytes(), open));
  }

  private NodeRequest list(Move move, int s, Access access) {
    StrandId id = new StrandId(file, s);
    return move == Move.READ
        ? new NodeRequest.Gather(id, layout, access)
        : new NodeRequest.Scatter(id, layout, access, move == Move.WRITE_TO_FLUSH);
  }

  @Override
  public void close() {
    repeated.values().forEach(RepeatedWrites::close);
  }
}
