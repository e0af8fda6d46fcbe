package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A link to whichever node owns a strand that has copies. When a request does not get through, it
 * asks the coordinator where the strand is now, waits until that is decided, and repeats the
 * request there.
 *
 * <p>The new owner says whether writes may be lost that the one before had taken. If they may be,
 * flushes fail with LOST from then on; and if this side has written since it last flushed, so does
 * everything else, until the file is opened again.
 *
 * <p>Safe for use by several threads. The node's own link is its session's to close.
 */
final class FollowingLink implements Link {

  private static final long PAUSE_NANOS = 100_000_000L;

  // constant after construction
  private final TransferContext carrier;
  private final StrandId strand;
  private final Supplier<NodeRequest.@Nullable Present> shown;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal pause;

  /** Writes that were acknowledged, and how many of them are known to be durable. */
  private final AtomicLong written = new AtomicLong();

  private final AtomicLong durable = new AtomicLong();

  // written with lock held
  private volatile Link link;
  private volatile int node;
  private volatile long epoch;
  private volatile @Nullable String lost; // what flushes fail with
  private volatile boolean lostOwn; // everything else, too

  FollowingLink(
      TransferContext carrier,
      StrandId strand,
      int node,
      long epoch,
      Supplier<NodeRequest.@Nullable Present> shown) {
    this.carrier = carrier;
    this.strand = strand;
    this.node = node;
    this.epoch = epoch;
    this.shown = shown;
    this.pause = carrier.env().signal(lock);
    this.link = carrier.nodes().presentLink(node);
  }

  /** What a request does. */
  private enum Purpose {
    READ,
    WRITE,
    FLUSH;

    static Purpose of(Message request) {
      return switch (request) {
        case NodeRequest.Scatter _,
            NodeRequest.Resize _,
            NodeRequest.Extend _,
            NodeRequest.Preallocate _ ->
            WRITE;
        case NodeRequest.Flush _ -> FLUSH;
        default -> READ;
      };
    }
  }

  private void check(Purpose purpose) throws MillraceException {
    String why = lost;
    if (why != null && (lostOwn || purpose == Purpose.FLUSH)) {
      throw new MillraceException(ErrorCode.LOST, why);
    }
  }

  @Override
  public Pending start(Message request, Payload payload) {
    return new Repeated(request, payload);
  }

  /** A request that is repeated at another node if its own is lost. */
  private final class Repeated implements Pending {

    private final Message request;
    private final Payload payload;
    private final Purpose purpose;

    // of the thread that waits
    private volatile Link at;
    private volatile Pending pending;
    private volatile long writtenBefore;

    /** When it stops to look for an owner: steps have deadlines of their own, failed ones one. */
    private volatile long untilNanos = Env.NEVER;

    Repeated(Message request, Payload payload) {
      this.request = request;
      this.payload = payload;
      this.purpose = Purpose.of(request);
      this.writtenBefore = written.get();
      this.at = link;
      this.pending = at.start(request, payload);
    }

    private void again(MillraceException e, long deadlineNanos) throws IOException {
      pending.abandon();
      untilNanos = Math.min(untilNanos, deadlineNanos);
      follow(at, e, purpose, untilNanos);
      check(purpose);
      writtenBefore = written.get();
      at = link;
      pending = at.start(request, payload);
    }

    private void done() throws MillraceException {
      onDone(purpose, writtenBefore);
      check(purpose);
    }

    @Override
    public Message await(long deadlineNanos) throws IOException {
      while (true) {
        try {
          Message reply = pending.await(deadlineNanos);
          done();
          return reply;
        } catch (MillraceException e) {
          if (!mayFollow(e)) {
            throw e;
          }
          again(e, deadlineNanos);
        }
      }
    }

    @Override
    public boolean advance(long deadlineNanos) throws IOException {
      try {
        boolean ended = pending.advance(deadlineNanos);
        untilNanos = Env.NEVER;
        if (ended) {
          done();
        }
        return ended;
      } catch (MillraceException e) {
        if (!mayFollow(e)) {
          throw e;
        }
        again(e, deadlineNanos);
        return false;
      }
    }

    @Override
    public boolean isDone() {
      return pending.isDone();
    }

    @Override
    public boolean canAdvance() {
      return pending.canAdvance();
    }

    @Override
    public boolean isAnswered() {
      return pending.isAnswered();
    }

    @Override
    public void abandon() {
      pending.abandon();
    }
  }

  private void onDone(Purpose purpose, long writtenBefore) {
    if (purpose == Purpose.WRITE) {
      written.incrementAndGet();
    } else if (purpose == Purpose.FLUSH) {
      durable.accumulateAndGet(writtenBefore, Math::max);
    }
  }

  private static boolean mayFollow(MillraceException e) {
    return e.code() == ErrorCode.MOVED || NodeLinks.isDead(e);
  }

  /**
   * Finds the strand's owner after a request has failed; returns when it is worth repeating, and
   * throws {@code e} when it is not.
   */
  private void follow(Link failed, MillraceException e, Purpose purpose, long deadlineNanos)
      throws IOException {
    while (link == failed) {
      if (carrier.env().nanoTime() >= deadlineNanos) {
        throw e; // rather than that the coordinator did not say in no time where the strand is
      }
      CopySet set = carrier.nodes().copies(strand, deadlineNanos);
      if (set.owner() != node || set.epoch() > epoch) {
        if (tryMove(failed, set, deadlineNanos)) {
          return;
        }
      } else if (e.code() != ErrorCode.MOVED) {
        if (!failed.isBroken()) {
          throw e;
        }
        if (tryReconnect(failed, deadlineNanos)) { // it lives, and may have done what was asked
          if (purpose == Purpose.WRITE) {
            throw e;
          }
          return;
        }
      }
      pause(deadlineNanos);
      if (e.code() == ErrorCode.MOVED && link == failed && !failed.isBroken()) {
        return; // asked again: it may serve the strand by now
      }
    }
  }

  private void pause(long deadlineNanos) {
    lock.lock();
    try {
      pause.await(Math.min(deadlineNanos, carrier.env().deadlineAfter(PAUSE_NANOS)));
    } finally {
      lock.unlock();
    }
  }

  /** Takes the strand's owner for another one; false if it cannot be reached yet. */
  private boolean tryMove(Link failed, CopySet set, long deadlineNanos) throws IOException {
    Link next = carrier.nodes().presentLink(set.owner());
    next = next == failed ? carrier.nodes().replacePresent(set.owner(), failed) : next;
    long vouched;
    try {
      present(next, deadlineNanos);
      var asked = new NodeRequest.Vouch(strand);
      vouched = ((NodeReply.Count) next.call(asked, MemorySegment.NULL, deadlineNanos)).bytes();
    } catch (MillraceException e) {
      if (mayFollow(e)) {
        return false;
      }
      throw e;
    }
    lock.lock();
    try {
      if (link == failed) {
        if (vouched > epoch) {
          lost =
              "node %s was lost, and with it writes to %s that nobody had flushed: open the file again, and write them again"
                  .formatted(node, strand);
          lostOwn = written.get() > durable.get();
        }
        node = set.owner();
        epoch = Math.max(epoch, set.epoch());
        link = next;
      }
    } finally {
      lock.unlock();
    }
    return true;
  }

  private boolean tryReconnect(Link failed, long deadlineNanos) throws IOException {
    Link next = carrier.nodes().replacePresent(node, failed);
    try {
      present(next, deadlineNanos);
      next.call(new NodeRequest.Size(strand), MemorySegment.NULL, deadlineNanos);
    } catch (MillraceException e) {
      if (mayFollow(e)) {
        return false;
      }
      throw e;
    }
    lock.lock();
    try {
      if (link == failed) {
        link = next;
      }
    } finally {
      lock.unlock();
    }
    return true;
  }

  private void present(Link to, long deadlineNanos) throws IOException {
    NodeRequest.Present before = shown.get();
    if (before != null) {
      to.call(before, MemorySegment.NULL, deadlineNanos);
    }
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = carrier.env().deadlineAfter(timeoutNanos);
    while (true) {
      check(Purpose.READ);
      Link now = link;
      try {
        return now.get(key, offset, into, at, length, timeoutNanos);
      } catch (MillraceException e) {
        if (!mayFollow(e)) {
          throw e;
        }
        follow(now, e, Purpose.READ, deadline);
      }
    }
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = carrier.env().deadlineAfter(timeoutNanos);
    while (true) {
      check(Purpose.WRITE);
      Link now = link;
      try {
        now.put(key, offset, source, at, length, timeoutNanos);
        onDone(Purpose.WRITE, 0);
        return;
      } catch (MillraceException e) {
        if (!mayFollow(e)) {
          throw e;
        }
        follow(now, e, Purpose.WRITE, deadline);
      }
    }
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    return link.advance(key, delta, floor, limit, timeoutNanos);
  }

  @Override
  public void hint(long key, long offset, long length) {
    link.hint(key, offset, length);
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return link.isReady(key, offset, length);
  }

  @Override
  public long maxPayloadBytes() {
    return link.maxPayloadBytes();
  }

  @Override
  public void close() {}
}
