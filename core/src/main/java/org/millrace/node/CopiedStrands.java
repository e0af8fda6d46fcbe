package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * What a node has to do with copies of strands: those that it owns, those that it holds for others,
 * and its lease. Where nodes are in one JVM a lease never ends; elsewhere it begins when the node
 * has registered.
 *
 * <p>Safe for use by several threads. Closing makes the copies durable that it holds, and ends the
 * sessions at other nodes.
 */
final class CopiedStrands implements CopyTargets.Source {

  // constant after construction
  private final Env env;
  private final int number;
  private final CopyPeers peers;
  private final OpenStrands strands;
  private final ClusterTime time;
  private final CopyTargets targets = new CopyTargets(this);
  private final AtomicBoolean rebuilding = new AtomicBoolean();
  private final AtomicLong repaired = new AtomicLong();
  private final AtomicBoolean matching = new AtomicBoolean();
  private final Queue<CopiedStore> unequal = new ConcurrentLinkedQueue<>();
  private final long matchBytes;
  private final boolean leased;

  private volatile boolean registered;
  private volatile long leaseEndNanos;
  private volatile long lostEpoch; // owned by the thread that registers
  private volatile boolean closed;

  CopiedStrands(
      Env env,
      int number,
      CopyPeers peers,
      OpenStrands strands,
      ClusterTime time,
      long matchBytes) {
    this.matchBytes = matchBytes;
    this.time = time;
    this.env = env;
    this.number = number;
    this.peers = peers;
    this.strands = strands;
    this.leased = peers.areElsewhere();
  }

  /**
   * That this node owns a strand.
   *
   * @param set the copies
   * @param before what was known of it here
   */
  record Claim(CopiedStrands node, StrandId id, CopySet set, CopyTarget.Known before) {

    /** The strand with its copies. */
    CopiedStore of(StrandStore store) {
      return new CopiedStore(node.env, node, id, store, set, before);
    }

    /** Throws MOVED if the strand may be another's by now. */
    void check() throws MillraceException {
      if (!node.targets.isClaimed(id, set.epoch())) {
        throw new MillraceException(ErrorCode.MOVED, id + " has got another owner meanwhile");
      }
    }

    /** The strand is not opened. */
    void giveUp() {
      node.targets.unclaim(id);
    }

    /**
     * The strand cannot be opened here: gives it to another that can, if there is one. Returns what
     * to tell the client.
     */
    IOException failed(IOException e) {
      giveUp();
      boolean bad =
          e instanceof MillraceException m
              && (m.code() == ErrorCode.CORRUPT || m.code() == ErrorCode.DISK);
      if (!bad || set.others().isEmpty()) {
        return e;
      }
      try {
        node.ask(
            new CoordinatorRequest.LeaveCopies(id, node.number, set.epoch(), List.of(node.number)));
      } catch (IOException refused) {
        e.addSuppressed(refused);
        return e;
      }
      MillraceException moved =
          new MillraceException(ErrorCode.MOVED, "another node serves " + id + ": " + e);
      moved.initCause(e);
      return moved;
    }
  }

  /** Asks whether this node owns a strand; MOVED if it does not. */
  Claim claim(StrandId id) throws IOException {
    checkLease();
    CopySet set = askSet(id);
    if (set.owner() != number) {
      throw new MillraceException(
          ErrorCode.MOVED, "%s is served by node %s".formatted(id, set.owner()));
    }
    return new Claim(this, id, set, targets.claim(id, set.epoch()));
  }

  /** Nothing that has copies is served by a node that others may take for lost. */
  void checkLease() throws MillraceException {
    if (leased && (!registered || env.nanoTime() > leaseEndNanos)) {
      throw new MillraceException(
          ErrorCode.MOVED, "node " + number + " has not heard of the coordinator for too long");
    }
  }

  /**
   * The coordinator has answered a heartbeat of this node, which has registered.
   *
   * @param sentNanos when it was sent
   * @param lost as in {@link CoordinatorReply.Removals}
   */
  void onHeartbeat(long sentNanos, long lost) {
    if (lost > lostEpoch) { // others may serve what this node has open
      for (CopiedStore one : strands.copied()) {
        if (one.epoch() <= lost) {
          one.depose();
          onMoved(one.id());
        }
      }
      lostEpoch = lost;
    }
    leaseEndNanos = sentNanos + CoordinatorRequest.Heartbeat.LEASE_NANOS;
    registered = true;
  }

  /** A strand is not this node's any more. */
  void onMoved(StrandId id) {
    env.start(
        ThreadKind.SERVICE,
        "node " + number + " gives up " + id,
        () -> {
          try {
            strands.dropDeposed(id);
          } catch (IOException e) {
            return; // it is tried again when the strand is next asked for
          }
        });
  }

  /** This node has closed a strand that it owned, in order or because another has it. */
  void onClosed(CopiedStore store) {
    targets.disown(store.id(), store.isDeposed() ? 0 : store.epoch(), store.marks().vouched());
  }

  /** This node has closed a strand in order, which it will own again or not. */
  void onParked(CopiedStore store) {
    targets.disown(store.id(), store.epoch(), store.marks().vouched());
  }

  /**
   * Carries out what an owner of a strand sends to a copy of it here.
   *
   * @param bytes that are written, or memory for those that are read
   */
  NodeReply serve(NodeRequest.OfCopy request, MemorySegment bytes) throws IOException {
    // without a lock: its holder may wait for a copy on the sender's node
    OpenStrands.Open open = strands.peek(request.strand().key());
    if (open != null && open.copied != null) {
      if (open.copied.epoch() >= request.epoch() && !open.copied.isDeposed()) {
        throw new MillraceException(
            ErrorCode.MOVED,
            "%s is node %s's since epoch %s"
                .formatted(request.strand(), number, open.copied.epoch()));
      }
      open.copied.depose();
      strands.dropDeposed(request.strand());
    }
    return targets.serve(request, bytes);
  }

  void remove(StrandId id) throws IOException {
    targets.forget(id);
  }

  // ---- making copies equal

  /** Until how many bytes of a strand are equal programs wait. */
  long matchBytes() {
    return matchBytes;
  }

  /** Has the copies of a strand made equal while programs use it, one strand after the other. */
  void startMatching(CopiedStore store) {
    unequal.add(store);
    if (matching.compareAndSet(false, true)) {
      env.start(ThreadKind.SERVICE, "node " + number + " makes copies equal", this::matchAll);
    }
  }

  private void matchAll() {
    do {
      try {
        CopiedStore next = unequal.poll();
        while (next != null) {
          tryMatch(next);
          next = unequal.poll();
        }
      } finally {
        matching.set(false);
      }
    } while (!unequal.isEmpty() && matching.compareAndSet(false, true));
  }

  private void tryMatch(CopiedStore store) {
    try {
      if (!closed) {
        store.match();
      }
    } catch (IOException e) {
      return; // it was closed, or is another node's: copies are looked at when it is next used
    }
  }

  // ---- rebuilding

  /** Begins to rebuild copies that are missing, unless it does so already. */
  void startRebuilding() {
    if (!closed && rebuilding.compareAndSet(false, true)) {
      env.start(
          ThreadKind.SERVICE,
          "node " + number + " rebuilds copies",
          () -> {
            try {
              rebuildAll();
              drain();
            } finally {
              rebuilding.set(false);
            }
          });
    }
  }

  /** Rebuilds what is missing of this node's strands on nodes that are there; returns how much. */
  int rebuildAll() {
    int done = 0;
    try {
      int last;
      do {
        last = 0;
        var asked = new CoordinatorRequest.AskRebuilds(number);
        for (StrandId id : ((CoordinatorReply.Rebuilds) ask(asked)).strands()) {
          last += closed ? 0 : rebuild(id);
        }
        done += last;
      } while (last > 0);
    } catch (IOException e) {
      return done; // the coordinator says again what is missing
    }
    return done;
  }

  /** Does what there is to do because nodes are drained, until nothing is left or can be done. */
  private void drain() {
    Drain drain = new Drain(env, this, strands);
    try {
      while (drain.run() > 0) {}
    } catch (IOException e) {
      return; // the coordinator says again what there is to do
    }
  }

  /** Throws if this node ends. */
  void checkOpen() throws MillraceException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "the node is closed");
    }
  }

  private int rebuild(StrandId id) throws IOException {
    int done = 0;
    for (int copy : askSet(id).missing()) {
      done += tryRebuild(id, copy) ? 1 : 0;
    }
    return done;
  }

  /** False if the copy's node may be gone again: it is tried again. */
  boolean tryRebuild(StrandId id, int copy) {
    try {
      OpenStrands.Open open = strands.get(id.key());
      CopiedStore copied = open.copied;
      if (copied == null) {
        return false;
      }
      copied.rebuild(copy, open.strand);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  void onRepaired(StrandId id, long block) {
    repaired.incrementAndGet();
  }

  /** Blocks that were corrupt here and were read from a copy. */
  long repaired() {
    return repaired.get();
  }

  // ---- others

  int number() {
    return number;
  }

  Link link(int node) {
    return peers.node(node);
  }

  Link replace(int node, Link broken) {
    return peers.replace(node, broken);
  }

  CoordinatorReply ask(CoordinatorRequest request) throws IOException {
    return peers.ask(request);
  }

  CopySet askSet(StrandId id) throws IOException {
    return ((CoordinatorReply.CopiesAt) ask(new CoordinatorRequest.AskCopies(id))).set();
  }

  @Override
  public StrandStore open(StrandId id, int blockBytes) throws IOException {
    return strands.openCopy(id, blockBytes);
  }

  @Override
  public void make(StrandId id, int blockBytes) throws IOException {
    strands.makeCopy(id, blockBytes);
  }

  @Override
  public long epoch(StrandId id) throws IOException {
    return id.hasCopies() ? askSet(id).epoch() : 0; // one that moves here has no owner
  }

  @Override
  public long now() {
    return time.coarseNanos();
  }

  /** Asks nobody anything any more. */
  void end() throws IOException {
    closed = true;
    try {
      targets.close();
    } finally {
      peers.close();
    }
  }
}
