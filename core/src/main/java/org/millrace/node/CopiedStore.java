package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.cache.CachedStrand;
import org.millrace.disk.BlockChanges;
import org.millrace.disk.BlockStore;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Payload;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A strand of which this node is the owner and others hold copies: what is written, cut and made
 * durable here is so there, too.
 *
 * <p>A copy that does not do what it is told within {@link CopyCalls#COPY_NANOS} has missed
 * something. It gets nothing more, and the coordinator is told so, durably, before the next flush
 * or cut is acknowledged. If the coordinator says that this node does not own the strand any more,
 * everything fails with MOVED from then on, and nothing of what was not flushed counts.
 *
 * <p>Safe for use by several threads, as {@link BlockStore} says. Closing closes the strand's own
 * store.
 */
final class CopiedStore implements BlockStore {

  private static final long CHUNK_BYTES = 1 << 20;

  // constant after construction
  private final CopiedStrands node;
  private final StrandId id;
  private final StrandStore own;
  private final CopyMembers members;
  private final CopyCalls calls;
  private final CopyMatch match;
  private final CopyMarks marks;
  private final ChangeGate gate;

  CopiedStore(
      Env env,
      CopiedStrands node,
      StrandId id,
      StrandStore own,
      CopySet set,
      CopyTarget.Known before) {
    this.node = node;
    this.id = id;
    this.own = own;
    this.members = new CopyMembers(node, id, set);
    this.calls = new CopyCalls(env, node, members);
    this.gate = new ChangeGate(env);
    this.match =
        new CopyMatch(
            id, own, members, calls, gate, node.matchBytes(), () -> node.startMatching(this));
    this.marks = new CopyMarks(id, own, before, members, calls, match);
  }

  StrandId id() {
    return id;
  }

  /** Of the set of copies, as this owner knows it. */
  long epoch() {
    return members.epoch();
  }

  /** What copies know of writes. */
  CopyMarks marks() {
    return marks;
  }

  /** Nothing that is not durable counts any more. */
  void depose() {
    members.depose();
  }

  boolean isDeposed() {
    return members.isDeposed();
  }

  /** What this node has of it. */
  StrandStore own() {
    return own;
  }

  /** Which copies there are. */
  CopyMembers members() {
    return members;
  }

  /** Keeps what changes the store apart from what must see it still. */
  ChangeGate gate() {
    return gate;
  }

  /** Makes the copy on a node anew; {@code strand} is the cache of this store. */
  void rebuild(int copy, CachedStrand strand) throws IOException {
    new CopyRebuild(id, own, this::readMending, members, calls, marks, gate).run(copy, strand);
  }

  /** Makes all copies equal that may differ. */
  void match() throws IOException {
    marks.settle();
    matchSettled();
    members.leave();
  }

  /** As {@link #match}, if it is known already which those are. */
  void matchSettled() throws IOException {
    if (!match.isRunning()) {
      return;
    }
    match.run();
    gate.hold();
    try {
      marks.endMatch();
    } finally {
      gate.letGo();
    }
  }

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
    if (match.onRead(firstBlock, into.size())) {
      trySettle();
    }
    readMending(firstBlock, into);
  }

  /** Else the next flush would have to wait until all is equal that was read. */
  private void trySettle() {
    try {
      marks.settle();
    } catch (IOException e) {
      return; // the next write or flush says so
    }
  }

  /** Reads blocks; those that cannot be read here from a copy. */
  void readMending(long firstBlock, List<MemorySegment> into) throws IOException {
    try {
      own.read(firstBlock, into);
    } catch (MillraceException e) {
      if (!isOfDisk(e)) {
        throw e;
      }
      for (int i = 0; i < into.size(); i++) {
        readOrRepair(firstBlock + i, into.get(i));
      }
    }
  }

  private static boolean isOfDisk(MillraceException e) {
    return e.code() == ErrorCode.CORRUPT || e.code() == ErrorCode.DISK;
  }

  /**
   * Reads a block; if that cannot be done here, from a copy, and mends it. What was flushed is the
   * same there; of what was not, either version will do.
   *
   * <p>But only up to this one's end: before the first write copies may be longer, and what the
   * owner before had written there and not flushed is lost.
   */
  private void readOrRepair(long block, MemorySegment into) throws IOException {
    try {
      own.read(block, List.of(into));
    } catch (MillraceException e) {
      if (!isOfDisk(e)) {
        throw e;
      }
      MemorySegment good = calls.room(own.blockBytes());
      long end = end(block);
      if (!fetch(block, good)) {
        throw e;
      }
      good.asSlice(end).fill((byte) 0);
      if (e.code() == ErrorCode.CORRUPT) {
        tryMend(block, good);
      }
      into.copyFrom(good);
    }
  }

  /** How many bytes of a block may be other than zero in copies of it. */
  private long end(long block) {
    long bytes = own.blockBytes();
    return marks.isSettled() ? bytes : Math.clamp(own.end() - block * bytes, 0L, bytes);
  }

  /** Writes a block again that was read from a copy; if that fails, it is read there again. */
  private void tryMend(long block, MemorySegment good) {
    try {
      own.mend(block, good);
      node.onRepaired(id, block);
    } catch (IOException e) {
      return; // the disk has said so in its log
    }
  }

  /** A scrub writes a block again that it has read from a copy. */
  void mend(long block, MemorySegment good) throws IOException {
    good.asSlice(end(block)).fill((byte) 0);
    own.mend(block, good);
  }

  /** Reads a block of a copy in sync; false if none has it. */
  private boolean fetch(long block, MemorySegment into) {
    return members.inSync().stream().anyMatch(copy -> tryFetch(copy, block, into));
  }

  private boolean tryFetch(Member copy, long block, MemorySegment into) {
    try {
      var request = new NodeRequest.CopyRead(id, copy.fence(), block, into.byteSize());
      calls.call(copy, request, into);
      return true;
    } catch (IOException e) {
      return false; // perhaps another one has it
    }
  }

  @Override
  public void write(long firstBlock, MemorySegment from, List<BlockChanges> changes)
      throws IOException {
    gate.enter();
    try {
      members.requireOwned();
      CopyCalls.Started sent = calls.started();
      List<Member> copies = members.all();
      long chunk = Math.max(CHUNK_BYTES, blockBytes());
      try {
        for (long at = 0; at < from.byteSize(); at += chunk) {
          long bytes = Math.min(chunk, from.byteSize() - at);
          long block = firstBlock + at / blockBytes();
          sent.send(
              copies,
              copy -> new NodeRequest.CopyWrite(id, copy.fence(), block, bytes),
              Payload.of(from, at, bytes));
        }
        own.write(firstBlock, from, changes);
      } finally {
        sent.await(); // they use the same memory
      }
    } finally {
      gate.leave();
    }
  }

  @Override
  public long modified() {
    return own.modified();
  }

  /** A copy keeps the time at which it was told of the last write. */
  @Override
  public void modified(long nanos) {
    own.modified(nanos);
  }

  /** A copy that has missed something leaves before another is told to be durable. */
  @Override
  public void flush(long newEnd) throws IOException {
    gate.enter();
    try {
      members.requireOwned();
      members.leave();
      List<Member> copies = marks.isUsed() ? members.all() : List.of();
      CopyCalls.Started sent =
          calls.start(copies, copy -> new NodeRequest.CopyFlush(id, copy.fence(), newEnd, 0));
      try {
        own.flush(newEnd);
      } finally {
        sent.await();
      }
      members.leave();
      node.checkLease();
      members.requireOwned();
    } finally {
      gate.leave();
    }
  }

  /** The copies come second: if it fails here they must not be shorter. */
  @Override
  public void resize(long newEnd) throws IOException {
    gate.enter();
    try {
      members.requireOwned();
      own.resize(newEnd);
      calls
          .start(members.all(), copy -> new NodeRequest.CopyResize(id, copy.fence(), newEnd))
          .await();
      members.leave();
    } finally {
      gate.leave();
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
}
