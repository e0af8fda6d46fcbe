package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.disk.StrandStore;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeReply.CopySums;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Makes copies in sync that differ in what nobody has flushed as their owner's own. If they left
 * the set instead, what was flushed would be on fewer disks until they are made anew: with two
 * copies on one, which may be that of a node that has just failed.
 *
 * <p>A short strand is made equal before its first write, or before its first flush is
 * acknowledged, while programs wait. Of a long one only the <em>pieces</em> are that programs have
 * read; the rest is while they go on, piece by piece:
 *
 * <ul>
 *   <li>What is written goes to all copies as ever, in whole blocks, and so is equal afterwards.
 *   <li>A piece that is read is made equal first. So what was read and then flushed is on all
 *       copies; of what nobody has read or flushed, either version will do.
 *   <li>While a piece is compared nothing is written: {@link ChangeGate}.
 *   <li>Until all pieces are equal a copy is never told that it is clean. If the owner is lost, the
 *       next one knows that it may differ from others, and vouches for nothing.
 * </ul>
 *
 * <p>At every moment such a copy holds all that was flushed: before, each block of it is as it was
 * or as the owner's, and what was flushed is the same in both; since, it was told to flush.
 *
 * <p>Safe for use by several threads. Settling and ending are done by one at a time.
 */
final class CopyMatch {

  /** What copies are told when they are changed before the first write. Any one will do. */
  private static final long MARK = 1;

  private static final long MAX_PIECE_BYTES = 1 << 20;

  /** How many pieces programs wait for, where they are not of the largest size. */
  private static final int PIECES = 64;

  // constant after construction
  private final StrandId id;
  private final StrandStore own;
  private final CopyMembers members;
  private final CopyCalls calls;
  private final ChangeGate gate;
  private final Runnable rest; // has the pieces made equal that programs do not wait for
  private final long waitBytes;
  private final int pieceBlocks;

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final TreeMap<Integer, Member> copies = new TreeMap<>(); // that differ, by their nodes
  private final BitSet seen = new BitSet(); // pieces that were read before the strand was settled
  private final BitSet equal = new BitSet(); // pieces that need no look any more
  private long pieces; // when it was settled: what comes behind these is written to all
  private long manySeen; // the strand is settled when so many were read
  private boolean settled;
  private boolean unforced; // copies were written

  /**
   * Knows of no copy that differs.
   *
   * @param waitBytes programs wait until no longer strands are equal
   * @param rest called once a strand is settled of which not all is equal
   */
  CopyMatch(
      StrandId id,
      StrandStore own,
      CopyMembers members,
      CopyCalls calls,
      ChangeGate gate,
      long waitBytes,
      Runnable rest) {
    this.id = id;
    this.own = own;
    this.members = members;
    this.calls = calls;
    this.gate = gate;
    this.waitBytes = waitBytes;
    this.rest = rest;
    long pieceBytes = Math.min(MAX_PIECE_BYTES, waitBytes / PIECES);
    this.pieceBlocks = (int) Math.max(1, pieceBytes / own.blockBytes());
    this.manySeen = waitBytes / pieceBytes();
  }

  private long pieceBytes() {
    return (long) pieceBlocks * own.blockBytes();
  }

  // ---- before the strand is settled

  /** It is about to be settled, and may have been before, in vain. */
  void begin() {
    lock.lock();
    try {
      copies.clear();
      equal.clear();
      pieces = Math.ceilDiv(own.end(), pieceBytes());
    } finally {
      lock.unlock();
    }
  }

  /** A copy differs: marks it, and has it end where the owner's ends. */
  void begin(Member copy) throws IOException {
    var marked = new NodeRequest.CopyBegin(id, copy.fence(), 0, own.blockBytes(), MARK);
    calls.call(copy, marked);
    calls.call(copy, new NodeRequest.CopyResize(id, copy.fence(), own.end()));
    lock.lock();
    try {
      copies.put(copy.node(), copy);
      unforced = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes equal what programs wait for. Nothing is written to the strand before this returns, and
   * then it is settled.
   */
  void settle() throws IOException {
    long deadline = calls.deadline();
    MemorySegment bytes = isRunning() ? calls.room(pieceBytes()) : MemorySegment.NULL;
    for (long piece = next(deadline); piece >= 0; piece = next(deadline)) {
      compare(piece, bytes);
    }
    if (isRunning()) {
      if (isEqual()) {
        force();
        end();
      } else {
        rest.run();
      }
    }
  }

  /** The next piece that is compared before the strand is settled; -1 once it is. */
  private long next(long deadline) {
    lock.lock();
    try {
      retain();
      boolean all = own.end() <= waitBytes && !calls.isOver(deadline);
      int next = all ? equal.nextClearBit(0) : seen.nextSetBit(0);
      while (!all && next >= 0 && equal.get(next)) {
        next = seen.nextSetBit(next + 1);
      }
      if (next >= 0 && next < pieces && !copies.isEmpty()) {
        return next;
      }
      settled = true;
      return -1;
    } finally {
      lock.unlock();
    }
  }

  // ---- at all times

  /** Whether a copy may differ still. */
  boolean isRunning() {
    return !copies().isEmpty();
  }

  /** Whether this copy may differ still. */
  boolean isRunning(Member copy) {
    return copies().contains(copy);
  }

  /** Those that may differ still. */
  List<Member> copies() {
    lock.lock();
    try {
      retain();
      return List.copyOf(copies.values());
    } finally {
      lock.unlock();
    }
  }

  /** Others have missed something, and are made anew. */
  private void retain() {
    copies.values().retainAll(members.inSync());
  }

  /**
   * Blocks are about to be read: they are made equal first, or noted if the strand is not settled.
   * Returns whether so many were that it should be.
   */
  boolean onRead(long firstBlock, int count) throws IOException {
    long first = firstBlock / pieceBlocks;
    long last = (firstBlock + count - 1) / pieceBlocks;
    lock.lock();
    try {
      if (!settled) {
        seen.set((int) first, (int) last + 1);
        if (seen.cardinality() <= manySeen) {
          return false;
        }
        manySeen = 2L * seen.cardinality(); // in case that it cannot be settled
        return true;
      }
    } finally {
      lock.unlock();
    }
    for (long piece = first; piece <= last; piece++) {
      if (isDue(piece)) {
        compareStill(piece, calls.room(pieceBytes()));
      }
    }
    return false;
  }

  /** Makes all pieces equal that are not. */
  void run() throws IOException {
    if (!isRunning()) {
      return;
    }
    MemorySegment bytes = calls.room(pieceBytes());
    for (long piece = nextDue(0); piece >= 0; piece = nextDue(piece + 1)) {
      compareStill(piece, bytes);
    }
  }

  private long nextDue(long from) {
    lock.lock();
    try {
      int next = equal.nextClearBit((int) from);
      return next < pieces && !copies.isEmpty() ? next : -1;
    } finally {
      lock.unlock();
    }
  }

  private boolean isDue(long piece) {
    lock.lock();
    try {
      retain();
      return !copies.isEmpty() && piece < pieces && !equal.get((int) piece);
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing is left but to say so. */
  boolean isEqual() {
    lock.lock();
    try {
      return equal.nextClearBit(0) >= pieces;
    } finally {
      lock.unlock();
    }
  }

  /** Has the copies make durable what was written to them. */
  void force() {
    List<Member> written;
    lock.lock();
    try {
      retain();
      written = unforced ? List.copyOf(copies.values()) : List.of();
      unforced = false;
    } finally {
      lock.unlock();
    }
    long end = own.end();
    // a node that has started since has forgotten the mark, and refuses
    calls.start(written, copy -> new NodeRequest.CopyFlush(id, copy.fence(), end, 0)).await();
  }

  /** All pieces are equal, durably. */
  void end() {
    lock.lock();
    try {
      copies.clear();
    } finally {
      lock.unlock();
    }
  }

  // ---- a piece

  private void compareStill(long piece, MemorySegment bytes) throws IOException {
    gate.hold();
    try {
      if (isDue(piece)) {
        members.requireOwned();
        compare(piece, bytes);
      }
    } finally {
      gate.letGo();
    }
  }

  /** A copy that cannot be compared has missed something. */
  private void compare(long piece, MemorySegment bytes) throws IOException {
    long first = piece * pieceBlocks;
    long blocks = Math.ceilDiv(own.end(), own.blockBytes()); // it may have been cut
    int count = Math.clamp(blocks - first, 0, pieceBlocks);
    MemorySegment part = bytes.asSlice(0, (long) count * own.blockBytes());
    List<Long> here = count == 0 ? List.of() : sums(first, part);
    for (Member copy : count == 0 ? List.<Member>of() : copies()) {
      try {
        compare(copy, first, here, part);
      } catch (IOException e) {
        members.miss(copy);
      }
    }
    lock.lock();
    try {
      equal.set((int) piece);
    } finally {
      lock.unlock();
    }
  }

  /** A block that cannot be read here stays as it is there: it will be read from the copy. */
  private void compare(Member copy, long first, List<Long> here, MemorySegment bytes)
      throws IOException {
    int blockBytes = own.blockBytes();
    var asked = new NodeRequest.CopySum(id, copy.fence(), first, here.size());
    List<Long> there = ((CopySums) calls.call(copy, asked)).sums();
    for (int i = 0; i < here.size(); i++) {
      if (here.get(i) != CopySums.BAD && !here.get(i).equals(there.get(i))) {
        MemorySegment block = bytes.asSlice((long) i * blockBytes, blockBytes);
        var written = new NodeRequest.CopyWrite(id, copy.fence(), first + i, blockBytes);
        calls.call(copy, written, block);
        lock.lock();
        try {
          unforced = true;
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private List<Long> sums(long first, MemorySegment bytes) throws IOException {
    try {
      return BlockSums.of(own, first, bytes);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.DISK) {
        throw e;
      }
    }
    List<Long> sums = new ArrayList<>();
    int blockBytes = own.blockBytes();
    for (long at = 0; at < bytes.byteSize(); at += blockBytes) {
      sums.addAll(sum(first + at / blockBytes, bytes.asSlice(at, blockBytes)));
    }
    return sums;
  }

  private List<Long> sum(long block, MemorySegment into) throws IOException {
    try {
      return BlockSums.of(own, block, into);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.DISK) {
        throw e;
      }
      return Collections.singletonList(CopySums.BAD);
    }
  }
}
