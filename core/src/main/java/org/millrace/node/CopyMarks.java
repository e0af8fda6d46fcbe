package org.millrace.node;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.millrace.disk.StrandStore;
import org.millrace.error.MillraceException;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeReply.CopyState;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * What the copies of a strand know of writes that are not durable, so that the next owner can say
 * whether some are lost.
 *
 * <pre>
 *   clean --first write: the copies are told--> marked --flush with no write under way--> clean
 * </pre>
 *
 * <p>Before the first write, and before the first flush is acknowledged, the strand is
 * <em>settled</em>: copies that may not be as the owner's own are found, and are made so ({@link
 * CopyMatch}). They may differ where the owner before, or the owner's life before, was lost with
 * writes that nobody had flushed.
 *
 * <p>Safe for use by several threads.
 */
final class CopyMarks {

  /** Makes durable what was written to a copy, and says nothing about the mark. */
  private static final long NO_MARK = -1;

  // constant after construction
  private final StrandId id;
  private final StrandStore own;
  private final CopyTarget.Known before;
  private final CopyMembers members;
  private final CopyCalls calls;
  private final CopyMatch match;
  private final long firstEpoch;
  private final ReentrantLock marking = new ReentrantLock(); // held while copies are told
  private final ReentrantLock lock = new ReentrantLock(); // taken after it

  // written with marking held
  private volatile boolean settled;

  private volatile long since; // vouched for, once settled

  private volatile boolean marked; // set so; cleared with lock held

  // guarded by lock
  private long marks;
  private long cleanMarks; // all copies in sync have what was written before the mark after it
  private int writers; // requests that write

  CopyMarks(
      StrandId id,
      StrandStore own,
      CopyTarget.Known before,
      CopyMembers members,
      CopyCalls calls,
      CopyMatch match) {
    this.match = match;
    this.id = id;
    this.own = own;
    this.before = before;
    this.members = members;
    this.calls = calls;
    this.firstEpoch = members.epoch();
  }

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

  private void mark() throws IOException {
    members.requireOwned();
    if (marked) {
      return;
    }
    marking.lock();
    try {
      if (!marked) {
        members.requireOwned(); // it may have been handed over meanwhile
        begin();
        marked = true;
      }
    } finally {
      marking.unlock();
    }
  }

  /** Tells all copies that something will be written. With marking held. */
  private void begin() throws IOException {
    settle();
    tell(last());
    lock.lock();
    try {
      marks++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The strand, which is durable and written by nobody any more, gets another owner: all its copies
   * vouch for it as this one does, also those that were never told anything because nobody has
   * written since their nodes were started.
   */
  void handOver() throws IOException {
    marking.lock();
    try {
      begin();
      endFlush(last());
    } finally {
      marking.unlock();
    }
  }

  /**
   * A flush of all that was written begins. Returns what {@link #endFlush} is to be told when it
   * has succeeded.
   */
  long beginFlush() throws IOException {
    settle();
    match.force(); // what was read, and so made equal: there may be nothing to write
    members.leave();
    return beginClose();
  }

  /** As {@link #beginFlush}, where nothing is promised: the strand is only closed. */
  long beginClose() {
    lock.lock();
    try {
      if (writers > 0) {
        return 0; // what they write may come after the flush
      }
      marked = false;
      return marks;
    } finally {
      lock.unlock();
    }
  }

  /** All that was written before a flush began is durable, at the copies, too: they are told. */
  void endFlush(long mark) throws IOException {
    if (mark <= clean()) {
      return;
    }
    List<Member> differing = match.copies();
    flush(members.all(), copy -> differing.contains(copy) ? 0 : mark);
    members.leave();
    lock.lock();
    try {
      cleanMarks = Math.max(cleanMarks, mark);
    } finally {
      lock.unlock();
    }
    List<Member> equal = members.inSync().stream().filter(differing::contains).toList();
    if (!equal.isEmpty() && !match.isRunning()) { // they were made equal meanwhile
      flush(equal, _ -> mark);
    }
  }

  private void flush(List<Member> copies, ToLongFunction<Member> mark) {
    long end = own.end();
    calls
        .start(
            copies,
            copy -> new NodeRequest.CopyFlush(id, copy.fence(), end, mark.applyAsLong(copy)))
        .await();
  }

  /**
   * All pieces of copies that differed are equal: they are as others from now on. Called while
   * nothing is written.
   */
  void endMatch() {
    marking.lock();
    try {
      match.force();
      List<Member> equal = match.copies();
      match.end();
      long mark = last();
      if (mark > 0 && mark == clean()) {
        flush(equal, _ -> mark);
      }
    } finally {
      marking.unlock();
    }
  }

  /** Since which epoch nothing is lost that an owner has taken. */
  long vouch() throws IOException {
    settle();
    return since;
  }

  /** As {@link #vouch}, as far as is known; else since this node has owned it. */
  long vouched() {
    return settled ? since : before.clean() ? before.since() : firstEpoch;
  }

  /** Whether all copies in sync are as the owner's own, but for what it writes. */
  boolean isSettled() {
    return settled;
  }

  /** Whether something may have been written: only then copies must be flushed. */
  boolean isUsed() {
    return last() > 0;
  }

  private long last() {
    lock.lock();
    try {
      return marks;
    } finally {
      lock.unlock();
    }
  }

  private long clean() {
    lock.lock();
    try {
      return cleanMarks;
    } finally {
      lock.unlock();
    }
  }

  // ---- the copies

  /**
   * Finds the copies that may differ and makes equal of them what programs wait for, and finds out
   * what is vouched for. Once.
   */
  void settle() throws IOException {
    if (settled) {
      return;
    }
    marking.lock();
    try {
      if (settled) {
        return;
      }
      List<Member> copies = members.inSync();
      boolean allClean = !copies.isEmpty();
      long cleanSince = 0;
      match.begin();
      for (Member copy : copies) {
        try {
          CopyState state = (CopyState) calls.call(copy, begin(copy, 0));
          allClean &= state.clean();
          cleanSince = Math.max(cleanSince, state.since());
          if (!isSame(copy, state)) {
            members.miss(copy);
          }
        } catch (IOException e) {
          allClean = false;
          members.miss(copy);
        }
      }
      members.leave();
      match.settle();
      since = before.clean() ? before.since() : allClean ? cleanSince : firstEpoch;
      settled = true;
    } finally {
      marking.unlock();
    }
  }

  private NodeRequest begin(Member copy, long mark) {
    return new NodeRequest.CopyBegin(id, copy.fence(), since, own.blockBytes(), mark);
  }

  /**
   * Whether a copy is as this one, or will be made so. It is made durable, in case that its owner
   * was lost; and what that owner had written behind the end is not there any more.
   */
  private boolean isSame(Member copy, CopyState state) throws IOException {
    boolean ends = state.end() == own.end();
    if (state.clean()) {
      return ends;
    }
    if (!ends || state.sum() != own.digest()) {
      match.begin(copy);
      return true;
    }
    if (state.mark() > 0) {
      calls.call(copy, new NodeRequest.CopyResize(id, copy.fence(), own.end()));
    }
    calls.call(copy, new NodeRequest.CopyFlush(id, copy.fence(), own.end(), NO_MARK));
    return true;
  }

  /** Tells the copies that they will not be clean any more. */
  private void tell(long told) throws IOException {
    boolean clean = told > 0 ? told == clean() : before.clean();
    for (Member copy : members.all()) {
      try {
        tell(copy, told, clean);
      } catch (IOException e) {
        members.miss(copy);
      }
    }
    members.leave();
  }

  /** A copy whose node was started again is as it was, if nothing was under way. */
  private void tell(Member copy, long told, boolean clean) throws IOException {
    if (match.isRunning(copy)) {
      CopyState before = (CopyState) calls.call(copy, begin(copy, told + 1));
      if (before.mark() == 0) { // its node has started since: what was made equal may be lost
        members.miss(copy);
      }
      return;
    }
    Member now = copy;
    CopyState state;
    try {
      state = (CopyState) calls.call(copy, begin(copy, told + 1));
      if (told == 0 || state.mark() == told || members.isJoining(copy)) {
        return;
      }
    } catch (MillraceException e) {
      if (!clean || members.isJoining(copy)) {
        throw e;
      }
      now = members.renew(copy);
      state = again(now, told);
    }
    if (!clean || state.end() != own.end()) {
      members.miss(now);
    }
  }

  private CopyState again(Member copy, long told) throws IOException {
    try {
      return (CopyState) calls.call(copy, begin(copy, told + 1));
    } catch (IOException e) {
      members.miss(copy);
      throw e;
    }
  }

  // ---- rebuilding

  /** Something that is told to copies. */
  interface Telling {
    void run(long mark, boolean clean) throws IOException;
  }

  /** Runs while the copies are told nothing else. */
  void whileStill(Telling telling) throws IOException {
    marking.lock();
    try {
      settle();
      long mark = last();
      telling.run(Math.max(1, mark), mark == clean());
    } finally {
      marking.unlock();
    }
  }

  /** What a copy is told when it is made. */
  NodeRequest first(Member copy, long mark) {
    return begin(copy, mark);
  }
}
