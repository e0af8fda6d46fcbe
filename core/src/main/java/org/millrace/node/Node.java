package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.cache.BlockCache;
import org.millrace.cache.CachedStrand;
import org.millrace.cache.LentBlocks;
import org.millrace.cache.Pin;
import org.millrace.cache.SlabMemory;
import org.millrace.disk.Disk;
import org.millrace.disk.NodeMemory;
import org.millrace.disk.StrandLog;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.message.Endpoint;
import org.millrace.message.Lent;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.Troubles;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.StrandStatus;
import org.millrace.wire.HostMemory;

/**
 * A server that owns one disk and a share of cache memory, and serves the strands on it. Requests
 * run on their senders' threads; only file I/O runs on the node's own.
 *
 * <p>Safe for use by several threads. Closing makes everything durable; idempotent.
 */
public final class Node implements Endpoint, AutoCloseable {

  private static final NodeReply DONE = new NodeReply.Done();

  // constant after construction
  private final Env env;
  private final String name;
  private final ClusterTime time;
  private final long matchBytes;
  private final BlockCache cache;
  private final OpenStrands strands;
  private final DirectCalls directCalls;
  private final NodeReports reports;
  private final Troubles troubles;
  private final ClientPins pins;
  private final CopyBuffers buffers;

  private final Scrubber scrubber;

  // set once, before anything is served
  private volatile @Nullable CopiedStrands copies;

  /** Serves what is on {@code disk}, which stays the caller's to close after this node. */
  public Node(Env env, String name, Disk disk, NodeOptions options) {
    this(env, name, disk, options, HostMemory.NONE);
  }

  /** As {@link #Node(Env, String, Disk, NodeOptions)}, with a cache that others can map. */
  public Node(Env env, String name, Disk disk, NodeOptions options, HostMemory host) {
    this.env = env;
    this.name = name;
    this.time = new ClusterTime(env);
    this.matchBytes = options.matchBytes();
    SlabMemory slabs = new SharedSlabs(env, host);
    this.cache = new BlockCache(env, name, options.cache(), slabs, time::coarseNanos);
    this.pins = new ClientPins(env, name, host, options.pinNanos());
    this.troubles = new Troubles(env);
    this.buffers = new CopyBuffers(env);
    this.strands = new OpenStrands(env, name, disk, cache, options, troubles::onFailure);
    this.reports = new NodeReports(env, disk, cache, troubles);
    this.directCalls =
        new DirectCalls(env, name, DirectContext.of(env, strands, options), reports.direct);
    this.scrubber = new Scrubber(env, name, new OwnStrands(disk), options.judge());
  }

  /** What a scrub reads. */
  private final class OwnStrands implements Scrubber.Source {

    private final Disk disk;

    OwnStrands(Disk disk) {
      this.disk = disk;
    }

    @Override
    public StrandLog.Content content() throws IOException {
      return strands.content();
    }

    @Override
    public boolean mendLog() throws IOException {
      return strands.mendLog();
    }

    @Override
    public long bytes() throws IOException {
      return disk.space().storedBytes();
    }

    @Override
    public OpenStrands.Open open(StrandId id) throws IOException {
      return find(id.key());
    }

    @Override
    public @Nullable CopiedStrands copies() {
      return copies;
    }
  }

  /** What time it is for this node. */
  ClusterTime time() {
    return time;
  }

  /** From now on it scrubs its disk by itself, at most at this rate in bytes a second. */
  public void scrubInBackground(long bytesPerSecond) {
    scrubber.startInBackground(bytesPerSecond);
  }

  /**
   * Says that the node starts, before it serves anything: it checks that its files and the
   * coordinator's are no older copies, and returns the number of this start, for the coordinator to
   * remember.
   *
   * @param remembered the number of its last start that the coordinator knows of
   * @param coordinator the coordinator's last starts, the present one first
   */
  public long begin(long remembered, List<NodeMemory.Run> coordinator) throws IOException {
    return strands.begin(remembered, coordinator);
  }

  /**
   * Remembers that strands were here and are lost, durably: they are never taken for empty ones.
   * For a node that takes the place of one whose disk is gone, before it serves anything.
   */
  public void onLost(List<StrandId> lost) throws IOException {
    strands.onLost(lost);
  }

  /**
   * From now on strands that have copies are served. Before anything else is.
   *
   * @param number this node's
   * @param peers closed with this node
   */
  public void serveCopies(int number, CopyPeers peers) {
    CopiedStrands made = new CopiedStrands(env, number, peers, strands, time, matchBytes);
    copies = made;
    strands.serveCopies(made);
  }

  private CopiedStrands requireCopies() throws MillraceException {
    CopiedStrands made = copies;
    if (made == null) {
      throw new MillraceException(ErrorCode.NODE, name + " knows no other nodes");
    }
    return made;
  }

  /**
   * The coordinator has answered a heartbeat: strands that have copies may be served for a while.
   *
   * @param sentNanos when it was sent
   * @param lostEpoch when strands of this node were last given to others
   * @param rebuilds whether copies of this node's strands are missing
   */
  public void onHeartbeat(long sentNanos, long lostEpoch, boolean rebuilds) {
    CopiedStrands made = copies;
    if (made != null) {
      made.onHeartbeat(sentNanos, lostEpoch);
      if (rebuilds) {
        made.startRebuilding();
      }
    }
  }

  /** Rebuilds copies that are missing of this node's strands, and waits; returns how many. */
  public int rebuildCopies() throws MillraceException {
    return requireCopies().rebuildAll();
  }

  /** From now on {@code log} is told what the disk fails to do, and which blocks are corrupt. */
  public void tellTroubles(Consumer<String> log) {
    troubles.tell(log);
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    env.charge(Work.MESSAGE, 1);
    if (request instanceof NodeRequest.Direct direct && direct.strand().hasCopies()) {
      replyTo.fail(
          new MillraceException(
              ErrorCode.INVALID, "disk-directed calls are not for files that have copies"));
    } else if (request instanceof NodeRequest.Direct direct) {
      directCalls.onPart(new DirectPart(from, direct, payload, replyTo));
    } else if (request instanceof NodeRequest.WithdrawDirect withdrawal) {
      directCalls.onWithdraw(from, withdrawal, replyTo);
    } else if (request instanceof NodeRequest.OfCopy copy) {
      onCopy(copy, payload, replyTo);
    } else if (request instanceof NodeRequest.Flush
        || request instanceof NodeRequest.Preload
        || request instanceof NodeRequest.AskReport) {
      // these wait long for the disk: their sender can have them under way on all nodes at once
      env.start(ThreadKind.SERVICE, name + " service", () -> answer(request, payload, replyTo));
    } else if (request instanceof NodeRequest.Pin pin) {
      answer(() -> pin(from, pin), replyTo);
    } else if (request instanceof NodeRequest.Keep keep) {
      answer(() -> keep(from, keep), replyTo);
    } else if (request instanceof NodeRequest.AskSlab slab) {
      answer(() -> slab(from, slab), replyTo);
    } else {
      answer(request, payload, replyTo);
    }
  }

  /**
   * Serves what an owner sends to a copy, on a thread of its own, so that the owner can write to
   * its disk meanwhile. Its memory may be accessible to its own thread only.
   */
  private void onCopy(NodeRequest.OfCopy request, Payload payload, ReplyTo replyTo) {
    boolean reads = request instanceof NodeRequest.CopyRead;
    boolean writes =
        request instanceof NodeRequest.CopyWrite || request instanceof NodeRequest.CopyMend;
    MemorySegment room = reads || writes ? buffers.take(payload.bytes()) : MemorySegment.NULL;
    MemorySegment bytes = room.asSlice(0, reads || writes ? payload.bytes() : 0);
    if (writes) {
      payload.copyTo(bytes, 0);
    }
    Runnable serve =
        () -> {
          answer(
              () -> {
                NodeReply reply = requireCopies().serve(request, bytes);
                if (reads) {
                  payload.copyFrom(bytes, 0);
                }
                return reply;
              },
              replyTo);
          buffers.give(room);
        };
    if (reads) {
      serve.run();
    } else {
      env.start(ThreadKind.SERVICE, name + " copies", serve);
    }
  }

  private void answer(Message request, Payload payload, ReplyTo replyTo) {
    answer(
        () -> {
          if (!(request instanceof NodeRequest known)) {
            throw new MillraceException(ErrorCode.PROTOCOL, name + " does not serve " + request);
          }
          return serve(known, payload);
        },
        replyTo);
  }

  /** Something that is answered. */
  private interface Serving {
    NodeReply serve() throws IOException;
  }

  private void answer(Serving serving, ReplyTo replyTo) {
    try {
      replyTo.reply(serving.serve());
    } catch (IOException e) {
      replyTo.fail(named(e));
    } catch (RuntimeException e) {
      replyTo.fail(new MillraceException(ErrorCode.INVALID, name + ": " + e, e));
    }
  }

  private MillraceException named(IOException e) {
    MillraceException m = MillraceException.wrap(ErrorCode.DISK, e);
    MillraceException named = MillraceException.of(m.code(), name + ": " + m.getMessage());
    named.initCause(e);
    return named;
  }

  private NodeReply serve(NodeRequest request, Payload payload) throws IOException {
    return switch (request) {
      case NodeRequest.Create(StrandId id, int blockBytes) -> {
        if (id.hasCopies()) {
          strands.createCopy(id, blockBytes); // opened when its owner is known
        } else {
          strands.create(id, blockBytes);
        }
        yield DONE;
      }
      case NodeRequest.Remove(StrandId id) -> {
        CopiedStrands made = copies;
        if (made != null) {
          made.remove(id); // one that moved here, too
        }
        strands.remove(id);
        yield DONE;
      }
      case NodeRequest.SetCacheBytes(long bytes) -> new NodeReply.Count(cache.setBytes(bytes));
      case NodeRequest.AskReport() -> {
        Map<String, Long> counters = reports.counters();
        scrubber.addTo(counters);
        yield new NodeReply.Report(counters);
      }
      case NodeRequest.Scrub(long bytesPerSecond) -> {
        scrubber.start(bytesPerSecond);
        yield DONE;
      }
      case NodeRequest.AskScrub() -> scrubber.state();
      case NodeRequest.AskStatuses r -> new NodeReply.Statuses(statuses(r.strands()));
      case NodeRequest.AskSlab _, NodeRequest.WithdrawDirect _, NodeRequest.OfCopy _ ->
          throw answeredLater(request);
      case NodeRequest.Present _, NodeRequest.Shutdown _ ->
          throw new MillraceException(ErrorCode.PROTOCOL, name + " is not behind a guard");
      case NodeRequest.OfStrand known -> serve(known, payload);
    };
  }

  private List<StrandStatus> statuses(List<StrandId> ids) throws IOException {
    List<StrandStatus> all = new ArrayList<>(ids.size());
    for (StrandId id : ids) {
      all.add(status(id));
    }
    return all;
  }

  /**
   * What a strand is; one that is damaged keeps no other from being asked about. What this node
   * does not know because another one serves it, or because it ends, is no answer: the file would
   * seem to be shorter.
   */
  private StrandStatus status(StrandId id) throws IOException {
    try {
      StrandStatus known = id.hasCopies() ? null : strands.glance(id);
      while (known == null) {
        OpenStrands.Open open = find(id.key());
        StrandStatus seen = new StrandStatus(open.strand.end(), open.strand.modified());
        if (open.copied != null) {
          requireCopies().checkLease(); // it may have taken long
        }
        known = open.isEvicted() ? null : seen;
      }
      return known;
    } catch (IOException e) {
      if (e instanceof MillraceException told && !isOfStrand(told)) {
        throw e;
      }
      return new StrandStatus(StrandStatus.UNKNOWN, 0);
    }
  }

  private static boolean isOfStrand(MillraceException e) {
    return switch (e.code()) {
      case CORRUPT, DISK, NO_SUCH_NAME -> true;
      default -> false;
    };
  }

  /**
   * Serves a request about one strand; again if the strand was just closed to make room for others.
   */
  private NodeReply serve(NodeRequest.OfStrand request, Payload payload) throws IOException {
    while (true) {
      if (request instanceof NodeRequest.Flush
          && !request.strand().hasCopies() // another node may own it now
          && strands.isFlushed(request.strand())) {
        return DONE;
      }
      OpenStrands.Open open = find(request.strand().key());
      try {
        return serve(open, request, payload);
      } catch (MillraceException e) {
        if (!isEvicted(open, e)) {
          throw e;
        }
      }
    }
  }

  /** Releases the pins that the sender returns, and pins what it wants. */
  private NodeReply pin(Peer from, NodeRequest.Pin request) throws IOException {
    if (!pins.mayPin(from, request.process())) {
      return new NodeReply.Pinned(NodeReply.Pinned.NEVER, 0, List.of(), List.of());
    }
    List<Long> refused = pins.release(from, request);
    if (request.wanted().isEmpty()) {
      return new NodeReply.Pinned(NodeReply.Pinned.NONE, 0, List.of(), refused);
    }
    if (request.strand().hasCopies()) { // their copies must know of each write
      return new NodeReply.Pinned(NodeReply.Pinned.NONE, 0, List.of(), refused);
    }
    return pinned(request, strand -> pins.pin(strand, from, request, refused));
  }

  /** Releases the kept pin that the sender returns, and lets it keep what it wants. */
  private NodeReply keep(Peer from, NodeRequest.Keep request) throws IOException {
    if (!pins.mayPin(from, request.process())) {
      return new NodeReply.Kept(NodeReply.Pinned.NEVER, 0, List.of());
    }
    pins.release(from, request.returned());
    if (request.wanted().isEmpty() || request.strand().hasCopies()) {
      return new NodeReply.Kept(NodeReply.Pinned.NONE, 0, List.of());
    }
    return pinned(request, strand -> pins.keep(strand, from, request));
  }

  /** A way to pin blocks of a strand. */
  private interface Pinning {
    NodeReply of(CachedStrand strand) throws IOException;
  }

  private NodeReply pinned(NodeRequest.OfStrand request, Pinning pinning) throws IOException {
    long began = reports.pin.begin();
    while (true) {
      OpenStrands.Open open = strands.get(request.strand().key());
      try {
        NodeReply reply = pinning.of(open.strand);
        reports.pin.end(began, Usage.bytesOf(request));
        return reply;
      } catch (MillraceException e) {
        if (!isEvicted(open, e)) {
          throw e;
        }
      }
    }
  }

  private NodeReply slab(Peer from, NodeRequest.AskSlab request) throws MillraceException {
    if (!from.sameHost()) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user " + from.user() + " may not map this node's memory, which is another user's");
    }
    if (request.slab() == PinnedBlocks.BlockPlace.CELLS) {
      return pins.cells();
    }
    BlockCache.SlabName found = cache.slab(request.slab(), request.generation());
    return found == null
        ? new NodeReply.SlabAt("", 0)
        : new NodeReply.SlabAt(found.name(), found.bytes());
  }

  private static IllegalStateException answeredLater(NodeRequest request) {
    return new IllegalStateException("answered when all its parts are there: " + request);
  }

  private static boolean isEvicted(OpenStrands.Open open, MillraceException e) {
    return e.code() == ErrorCode.CLOSED && open.isEvicted();
  }

  /** Serves a request about an open strand; if it has copies, they know of writes before. */
  private NodeReply serve(OpenStrands.Open open, NodeRequest.OfStrand request, Payload payload)
      throws IOException {
    CopiedStore copied = open.copied;
    if (copied == null) {
      return serve(open.strand, request, payload);
    }
    CopyMarks marks = copied.marks();
    NodeReply reply;
    if (request instanceof NodeRequest.Vouch) {
      reply = new NodeReply.Count(marks.vouch());
    } else if (request instanceof NodeRequest.Flush) {
      long mark = marks.beginFlush();
      reply = serve(open.strand, request, payload);
      marks.endFlush(mark);
    } else if (GatedWrites.isWrite(request)) {
      marks.enterWrite();
      try {
        reply = serve(open.strand, request, payload);
      } finally {
        marks.leaveWrite();
      }
    } else {
      reply = serve(open.strand, request, payload);
    }
    requireCopies().checkLease(); // it may have taken long
    return reply;
  }

  private NodeReply serve(CachedStrand strand, NodeRequest.OfStrand request, Payload payload)
      throws IOException {
    switch (request) {
      case NodeRequest.Vouch _ -> {
        return new NodeReply.Count(0);
      }
      case NodeRequest.Size _ -> {
        return new NodeReply.Count(strand.end());
      }
      case NodeRequest.NextData r -> {
        return new NodeReply.Count(strand.nextData(r.offset()));
      }
      case NodeRequest.Sum r -> {
        long began = reports.list.begin();
        NodeReply sums = new NodeReply.Sums(StrandSums.of(env, strand, r));
        reports.list.end(began, r.to() - r.from());
        return sums;
      }
      case NodeRequest.Resize r -> {
        StrandLists.checkEnd(strand.blockBytes(), r.end(), 0);
        strand.resize(r.end());
      }
      case NodeRequest.Extend r -> {
        StrandLists.checkEnd(strand.blockBytes(), r.end(), 0);
        strand.extend(r.end());
      }
      case NodeRequest.Preallocate r -> strand.preallocate(r.end());
      case NodeRequest.Flush _ -> {
        long began = reports.flush.begin();
        strand.flush();
        reports.flush.end(began, 0);
      }
      case NodeRequest.Preload r -> strand.preload(r.offset());
      case NodeRequest.Gather r -> {
        long began = reports.list.begin();
        reports.list.end(began, StrandLists.gather(strand, r, payload));
      }
      case NodeRequest.Scatter r -> {
        long began = reports.list.begin();
        reports.list.end(began, StrandLists.scatter(strand, r, payload));
      }
      case NodeRequest.Direct _, NodeRequest.Pin _, NodeRequest.Keep _ ->
          throw answeredLater(request);
    }
    return DONE;
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    env.charge(Work.MESSAGE, 1);
    long began = reports.get.begin();
    while (true) {
      OpenStrands.Open open = find(key);
      try {
        long count = open.strand.read(offset, into, at, length);
        if (open.copied != null) {
          requireCopies().checkLease(); // it may have taken long
        }
        reports.get.end(began, count);
        return count;
      } catch (MillraceException e) {
        if (!isEvicted(open, e)) {
          throw named(e);
        }
      }
    }
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    if (Copies.hasCopies(StrandId.fileOf(key))) {
      return false; // a write may wait for another node, whose answer the same thread may bring
    }
    CachedStrand strand = strands.known(key);
    return strand != null && strand.isReady(offset, length);
  }

  @Override
  public @Nullable Lent onLend(Peer from, long key, BlockSpans blocks, boolean write) {
    CachedStrand strand = Copies.hasCopies(StrandId.fileOf(key)) ? null : strands.known(key);
    if (strand == null
        || strand.blockBytes() != blocks.blockBytes()
        || blocks.end() > Long.MAX_VALUE - strand.blockBytes()) {
      return null;
    }
    env.charge(Work.MESSAGE, 1);
    long began = reports.list.begin();
    LentBlocks lent = strand.tryLend(blocks, write);
    return lent == null ? null : new LentList(lent, reports.list, began);
  }

  /** A list that its sender carries out by itself. */
  private record LentList(LentBlocks blocks, OperationStats stats, long began) implements Lent {

    @Override
    public MemorySegment block(long number) {
      return blocks.memory(number);
    }

    @Override
    public void giveBack(Use use, long bytes, long pieces) {
      if (use == Use.NONE) {
        blocks.giveBackUnused();
        return;
      }
      blocks.giveBack(use == Use.WHOLE, bytes, pieces);
      stats.end(began, bytes);
    }
  }

  @Override
  public boolean isReady(Message request) {
    return switch (request) {
      case NodeRequest.Pin pin -> isReady(pin, ClientPins.blocks(pin), pin.write());
      case NodeRequest.Keep keep ->
          keep.wanted().isEmpty() || isReady(keep, ClientPins.blocks(keep), true);
      default -> false;
    };
  }

  private boolean isReady(NodeRequest.OfStrand request, List<Pin.Blocks> blocks, boolean write) {
    CachedStrand strand = strands.known(request.strand().key());
    return strand != null && strand.isReadyToPin(blocks, write);
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    env.charge(Work.MESSAGE, 1);
    long began = reports.put.begin();
    while (true) {
      OpenStrands.Open open = find(key);
      try {
        StrandLists.checkEnd(open.strand.blockBytes(), offset, length);
        write(open, offset, source, at, length);
        reports.put.end(began, length);
        return;
      } catch (MillraceException e) {
        if (!isEvicted(open, e)) {
          throw named(e);
        }
      }
    }
  }

  private void write(OpenStrands.Open open, long offset, MemorySegment source, long at, long length)
      throws IOException {
    CopiedStore copied = open.copied;
    if (copied == null) {
      open.strand.write(offset, source, at, length);
      return;
    }
    copied.marks().enterWrite();
    try {
      open.strand.write(offset, source, at, length);
    } finally {
      copied.marks().leaveWrite();
    }
    requireCopies().checkLease(); // it may have taken long, and others may read elsewhere
  }

  private OpenStrands.Open find(long key) throws IOException {
    try {
      if (Copies.hasCopies(StrandId.fileOf(key))) {
        requireCopies().checkLease();
      }
      return strands.get(key);
    } catch (IOException e) {
      throw named(e);
    }
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    strands.hint(key, offset, length);
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    directCalls.onSessionEnd(from.session(), reason);
    pins.onSessionEnd(from.session());
  }

  @Override
  public boolean isSettled() {
    return pins.isSettled();
  }

  /** Makes everything durable and ends. */
  @Override
  public void close() throws IOException {
    scrubber.close();
    directCalls.close();
    pins.close();
    try (cache) { // what closing the strands throws comes first, whatever the cache adds
      strands.close();
    } catch (IOException e) {
      throw named(e);
    } finally {
      pins.end();
    }
  }
}
