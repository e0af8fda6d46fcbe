package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.millrace.disk.BlockChanges;
import org.millrace.disk.BlockStore;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A strand of which this node is the owner and others hold copies: what is written, cut and made
 * durable here is so there, too, at the same time.
 *
 * <pre>
 *   clean --first write: the copies are told, and compared--> marked --flush--> clean
 * </pre>
 *
 * <p>A copy that does not do what it is told within {@link #COPY_NANOS} has missed something. It
 * gets nothing more, and the coordinator is told so, durably, before the next flush or cut is
 * acknowledged. If the coordinator says that this node does not own the strand any more, everything
 * fails with MOVED from then on, and nothing of what was not flushed counts.
 *
 * <p>Safe for use by several threads, as {@link BlockStore} says. Closing closes the strand's own
 * store.
 */
final class CopiedStore implements BlockStore {

  /** How long a copy may take for what it is told. */
  static final long COPY_NANOS = 5_000_000_000L;

  private static final long CHUNK_BYTES = 1 << 20;

  // constant after construction
  private final Env env;
  private final CopiedStrands node;
  private final StrandId id;
  private final StrandStore own;
  private final CopyTargets.Known before;
  private final long firstEpoch;
  private final ReentrantLock marking = new ReentrantLock(); // held while copies are told and asked
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // written with lock and marking held, read with either
  private volatile long epoch;
  private volatile boolean moved;
  private volatile boolean marked;
  private long marks;
  private long cleanMarks; // all copies in sync have what was written before the mark after it
  private boolean compared; // with the copies, since this was opened
  private boolean otherCopiesWereClean;
  private long cleanEpoch; // of the owner before, if they were

  // guarded by lock
  private final Set<Integer> inSync = new LinkedHashSet<>(); // without this node
  private final Set<Integer> missed = new LinkedHashSet<>(); // of which the coordinator must hear
  private int joining = -1; // a copy that is being rebuilt
  private int writers; // requests that write
  private long flushMarks; // marks when the flush under way began
  private int changing; // calls that change the store
  private boolean held; // no such call may begin

  CopiedStore(
      Env env,
      CopiedStrands node,
      StrandId id,
      StrandStore own,
      CopySet set,
      CopyTargets.Known before) {
    this.env = env;
    this.node = node;
    this.id = id;
    this.own = own;
    this.before = before;
    this.firstEpoch = set.epoch();
    this.epoch = set.epoch();
    this.inSync.addAll(set.others());
    this.changed = env.signal(lock);
  }

  StrandId id() {
    return id;
  }

  long epoch() {
    return epoch;
  }

  // ---- requests of clients

  /** Begins a request that writes: the copies know of it before anything is written. */
  void enterWrite() throws IOException {
    lock.lock();
    try {
      writers++;
    } finally {
      lock.unlock();
    }
    try {
      mark();
    } catch (IOException | RuntimeException e) {
      leaveWrite();
      throw e;
    }
  }

  void leaveWrite() {
    lock.lock();
    try {
      writers--;
    } finally {
      lock.unlock();
    }
  }

  /** A flush of all that was written begins: if no write is under way the strand is clean then. */
  void beginFlush() {
    lock.lock();
    try {
      if (writers == 0) {
        marked = false;
        flushMarks = marks;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Since which epoch nothing is lost that an owner has taken. */
  long vouch() throws IOException {
    if (before.clean()) {
      return before.epoch();
    }
    mark();
    marking.lock();
    try {
      return otherCopiesWereClean ? cleanEpoch : firstEpoch;
    } finally {
      marking.unlock();
    }
  }

  private void mark() throws IOException {
    requireOwned();
    if (marked) {
      return;
    }
    marking.lock();
    try {
      if (!marked) {
        tellCopies(marks + 1);
        lock.lock();
        try {
          marks++;
          marked = true;
        } finally {
          lock.unlock();
        }
      }
    } finally {
      marking.unlock();
    }
  }

  /**
   * Tells the copies that they will not be clean any more; those that are not as this one leave.
   */
  private void tellCopies(long mark) throws IOException {
    boolean clean = cleanMarks == marks; // what is here is there, as far as this node knows
    NodeRequest request = new NodeRequest.CopyBegin(id, epoch, own.blockBytes(), mark);
    List<Integer> copies = copies();
    List<Pending> pending = start(copies, _ -> request);
    boolean allClean = !copies.isEmpty();
    for (int i = 0; i < copies.size(); i++) {
      int copy = copies.get(i);
      try {
        NodeReply.CopyState state =
            (NodeReply.CopyState) told(pending.get(i), copy, request, clean);
        boolean same =
            copy == joining()
                || (compared
                    ? state.end() == own.end() && clean
                    : state.end() == own.end() && (state.clean() || isSame(state)));
        if (!same) {
          miss(copy);
        }
        allClean &= same && state.clean();
        cleanEpoch = Math.max(cleanEpoch, state.epoch());
      } catch (IOException e) {
        allClean = false;
        miss(copy);
      }
    }
    if (!compared) {
      compared = true;
      otherCopiesWereClean = allClean;
    }
    leave();
  }

  /** A copy whose node was restarted is as it was, if nothing was under way. */
  private Message told(Pending pending, int copy, NodeRequest request, boolean clean)
      throws IOException {
    long deadline = env.deadlineAfter(COPY_NANOS);
    try {
      return pending.await(deadline);
    } catch (MillraceException e) {
      pending.abandon();
      Link link = node.link(copy);
      if (!clean || !link.isBroken()) {
        throw e;
      }
      return node.replace(copy, link).call(request, MemorySegment.NULL, deadline);
    }
  }

  private boolean isSame(NodeReply.CopyState state) throws IOException {
    return state.sum() >= 0 && state.sum() == CopyTargets.sum(this); // mends what it cannot read
  }

  // ---- the set

  private int joining() {
    lock.lock();
    try {
      return joining;
    } finally {
      lock.unlock();
    }
  }

  private long marks() {
    lock.lock();
    try {
      return Math.max(1, marks);
    } finally {
      lock.unlock();
    }
  }

  private List<Integer> copies() {
    lock.lock();
    try {
      List<Integer> all = new ArrayList<>(inSync);
      if (joining >= 0) {
        all.add(joining);
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  private void miss(int copy) {
    lock.lock();
    try {
      if (inSync.remove(copy)) {
        missed.add(copy);
      } else if (joining == copy) {
        joining = -1;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells the coordinator which copies have missed something, if any have. */
  private void leave() throws IOException {
    marking.lock();
    try {
      List<Integer> gone;
      lock.lock();
      try {
        gone = List.copyOf(missed);
      } finally {
        lock.unlock();
      }
      if (!gone.isEmpty()) {
        adopt(ask(new CoordinatorRequest.LeaveCopies(id, node.number(), epoch, gone)));
        lock.lock();
        try {
          missed.removeAll(gone);
        } finally {
          lock.unlock();
        }
      }
    } finally {
      marking.unlock();
    }
  }

  private CopySet ask(CoordinatorRequest request) throws IOException {
    try {
      return ((CoordinatorReply.CopiesAt) node.ask(request)).set();
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.MOVED) {
        throw e;
      }
      CopySet now = node.askSet(id); // an answer may have been lost on its way
      if (now.owner() != node.number()) {
        throw onMoved(now);
      }
      adopt(now);
      throw MillraceException.of(
          ErrorCode.NODE, "the copies of " + id + " have changed meanwhile, try again");
    }
  }

  private void adopt(CopySet set) throws MillraceException {
    if (set.owner() != node.number()) {
      throw onMoved(set);
    }
    epoch = set.epoch();
  }

  private MillraceException onMoved(CopySet set) {
    moved = true;
    node.onMoved(this);
    return movedError("node " + set.owner() + " serves it since epoch " + set.epoch());
  }

  private MillraceException movedError(String why) {
    return new MillraceException(ErrorCode.MOVED, id + " is not this node's any more: " + why);
  }

  /** Nothing that is not durable counts any more. */
  void depose() {
    moved = true;
  }

  void requireOwned() throws MillraceException {
    if (moved) {
      throw movedError("it was lost for a while");
    }
  }

  // ---- the store

  @Override
  public String name() {
    return own.name();
  }

  @Override
  public int blockBytes() {
    return own.blockBytes();
  }

  @Override
  public long end() {
    return own.end();
  }

  @Override
  public void read(long firstBlock, List<MemorySegment> into) throws IOException {
    try {
      own.read(firstBlock, into);
    } catch (CorruptBlockException e) {
      for (int i = 0; i < into.size(); i++) {
        readOrRepair(firstBlock + i, into.get(i), e);
      }
    }
  }

  /** Reads a block; if it is corrupt here, from a copy, and mends it. */
  private void readOrRepair(long block, MemorySegment into, CorruptBlockException first)
      throws IOException {
    try {
      own.read(block, List.of(into));
    } catch (CorruptBlockException e) {
      // what was flushed is the same there; of what was not, either version will do
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment good = arena.allocate(own.blockBytes(), CopyTargets.ALIGNMENT);
        if (!fetch(block, good)) {
          throw first;
        }
        own.write(block, good);
        node.onRepaired(id, block);
        into.copyFrom(good);
      }
    }
  }

  /** Reads a block of a copy in sync; false if none has it. */
  private boolean fetch(long block, MemorySegment into) {
    return copies().stream().anyMatch(copy -> tryFetch(copy, block, into));
  }

  private boolean tryFetch(int copy, long block, MemorySegment into) {
    try {
      var request = new NodeRequest.CopyRead(id, epoch, block, into.byteSize());
      node.link(copy).start(request, Payload.of(into)).await(env.deadlineAfter(COPY_NANOS));
      return true;
    } catch (IOException e) {
      return false; // perhaps another one has it
    }
  }

  @Override
  public void write(long firstBlock, MemorySegment from, List<BlockChanges> changes)
      throws IOException {
    enterChange();
    try {
      requireOwned();
      long chunk = Math.max(CHUNK_BYTES, blockBytes());
      List<Integer> copies = copies();
      List<List<Pending>> pending = new ArrayList<>();
      for (long at = 0; at < from.byteSize(); at += chunk) {
        long start = at;
        long bytes = Math.min(chunk, from.byteSize() - at);
        NodeRequest request =
            new NodeRequest.CopyWrite(id, epoch, firstBlock + at / blockBytes(), bytes);
        pending.add(start(copies, _ -> request, Payload.of(from, start, bytes)));
      }
      try {
        own.write(firstBlock, from, changes);
      } finally {
        pending.forEach(some -> await(copies, some));
      }
    } finally {
      leaveChange();
    }
  }

  private List<Pending> start(List<Integer> copies, IntFunction<NodeRequest> request) {
    return start(copies, request, Payload.NONE);
  }

  private List<Pending> start(
      List<Integer> copies, IntFunction<NodeRequest> request, Payload payload) {
    return copies.stream()
        .map(copy -> node.link(copy).start(request.apply(copy), payload))
        .toList();
  }

  /** Waits for the answers of copies; those that do not answer well have missed something. */
  private void await(List<Integer> copies, List<Pending> pending) {
    long deadline = env.deadlineAfter(COPY_NANOS);
    for (int i = 0; i < copies.size(); i++) {
      try {
        pending.get(i).await(deadline);
      } catch (IOException e) {
        pending.get(i).abandon();
        miss(copies.get(i));
      }
    }
  }

  @Override
  public void flush(long newEnd) throws IOException {
    enterChange();
    try {
      requireOwned();
      long mark;
      lock.lock();
      try {
        mark = flushMarks;
      } finally {
        lock.unlock();
      }
      NodeRequest request = new NodeRequest.CopyFlush(id, epoch, newEnd, mark);
      List<Integer> copies = copies();
      List<Pending> pending = start(copies, _ -> request);
      try {
        own.flush(newEnd);
      } finally {
        await(copies, pending);
      }
      leave();
      node.checkLease();
      requireOwned();
      lock.lock();
      try {
        cleanMarks = Math.max(cleanMarks, mark);
      } finally {
        lock.unlock();
      }
    } finally {
      leaveChange();
    }
  }

  @Override
  public void resize(long newEnd) throws IOException {
    enterChange();
    try {
      requireOwned();
      NodeRequest request = new NodeRequest.CopyResize(id, epoch, newEnd);
      List<Integer> copies = copies();
      List<Pending> pending = start(copies, _ -> request);
      try {
        own.resize(newEnd);
      } finally {
        await(copies, pending);
      }
      leave();
    } finally {
      leaveChange();
    }
  }

  @Override
  public long nextWritten(long firstBlock, long beforeBlock) throws IOException {
    return own.nextWritten(firstBlock, beforeBlock);
  }

  @Override
  public void preallocate(long upTo) throws IOException {
    own.preallocate(upTo);
  }

  @Override
  public void close() throws IOException {
    own.close();
  }

  // ---- rebuilding

  private void enterChange() throws IOException {
    lock.lock();
    try {
      while (held) {
        changed.await(Env.NEVER); // ends: every request to a copy has a deadline
      }
      changing++;
    } finally {
      lock.unlock();
    }
  }

  private void leaveChange() {
    lock.lock();
    try {
      changing--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** What this node has of it. */
  StrandStore own() {
    return own;
  }

  /** The other nodes in sync. */
  List<Integer> others() {
    lock.lock();
    try {
      return List.copyOf(inSync);
    } finally {
      lock.unlock();
    }
  }

  /** Takes copies out of the set that cannot be used: they are made anew. */
  void giveUp(List<Integer> copies) throws IOException {
    copies.forEach(this::miss);
    leave();
  }

  /** Waits until nothing changes the strand, here and in the copies, and keeps it so. */
  void hold() {
    lock.lock();
    try {
      while (held || changing > 0) {
        changed.await(Env.NEVER); // ends: as above, and the disk ends every call
      }
      held = true;
    } finally {
      lock.unlock();
    }
  }

  void letGo() {
    lock.lock();
    try {
      held = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins to make a copy again on a node that has none, or one that has missed something, while
   * the strand is used: from now on it gets what is written. All that was written before must be
   * flushed, then {@link #finishRebuild} copies it.
   */
  void beginRebuild(int copy) throws IOException {
    Link link = liveLink(copy);
    hold();
    try {
      requireOwned();
      call(link, new NodeRequest.Remove(id));
      call(link, new NodeRequest.Create(id, blockBytes()));
      call(link, new NodeRequest.CopyBegin(id, epoch, blockBytes(), marks()));
      lock.lock();
      try {
        joining = copy;
      } finally {
        lock.unlock();
      }
    } finally {
      letGo();
    }
  }

  private Link liveLink(int copy) {
    Link link = node.link(copy);
    return link.isBroken() ? node.replace(copy, link) : link;
  }

  /** Copies what is there; then the copy is in sync. */
  void finishRebuild(int copy) throws IOException {
    try {
      Link link = node.link(copy);
      copyBlocks(link, copy);
      join(link, copy);
    } catch (IOException | RuntimeException e) {
      miss(copy);
      throw e;
    }
  }

  private void copyBlocks(Link link, int copy) throws IOException {
    long perChunk = Math.max(1, CHUNK_BYTES / blockBytes());
    long block = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(perChunk * blockBytes(), CopyTargets.ALIGNMENT);
      while (true) {
        hold();
        try {
          requireOwned();
          long blocks = Math.ceilDiv(own.end(), blockBytes());
          block = block < blocks ? own.nextWritten(block, blocks) : blocks;
          if (block >= blocks) {
            return;
          }
          long count = Math.min(perChunk, blocks - block);
          MemorySegment part = bytes.asSlice(0, count * blockBytes());
          List<MemorySegment> into = new ArrayList<>();
          for (long i = 0; i < count; i++) {
            into.add(part.asSlice(i * blockBytes(), blockBytes()));
          }
          read(block, into);
          requireJoining(copy);
          link.start(new NodeRequest.CopyWrite(id, epoch, block, part.byteSize()), Payload.of(part))
              .await(env.deadlineAfter(COPY_NANOS));
          block += count;
        } finally {
          letGo();
        }
      }
    }
  }

  private void requireJoining(int copy) throws MillraceException {
    lock.lock();
    try {
      if (joining != copy) {
        throw new MillraceException(
            ErrorCode.NODE, "node %d missed a write to its new copy of %s".formatted(copy, id));
      }
    } finally {
      lock.unlock();
    }
  }

  private void join(Link link, int copy) throws IOException {
    hold();
    try {
      requireJoining(copy);
      call(link, new NodeRequest.CopyResize(id, epoch, own.end()));
      call(link, new NodeRequest.CopyBegin(id, epoch, blockBytes(), marks()));
      call(link, new NodeRequest.CopyFlush(id, epoch, own.end(), marked ? 0 : marks()));
      marking.lock();
      try {
        adopt(ask(new CoordinatorRequest.JoinCopies(id, node.number(), epoch, copy)));
        lock.lock();
        try {
          joining = -1;
          inSync.add(copy);
        } finally {
          lock.unlock();
        }
      } finally {
        marking.unlock();
      }
    } finally {
      letGo();
    }
  }

  private Message call(Link link, NodeRequest request) throws IOException {
    return link.call(request, MemorySegment.NULL, env.deadlineAfter(COPY_NANOS));
  }
}
