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
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeRequest;

/**
 * A link to the node of a strand for a file that stays open for long and by one session alone. The
 * node is asked for with the first request, and shown just before it what lets the session use the
 * file. When the node was restarted, another link is taken and the request repeated; unless the
 * node may have lost writes of this side that were not made durable: then everything fails with
 * LOST until the file is opened again.
 *
 * <p>Safe for use by several threads. The node's own link is its session's to close.
 */
final class ReturningLink implements Link {

  private static final long PAUSE_NANOS = 100_000_000L;

  // constant after construction
  private final TransferContext carrier;
  private final int node;
  private final Supplier<NodeRequest.@Nullable Present> shown;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal pause;

  /** Writes that were acknowledged, and how many of them are known to be durable. */
  private final AtomicLong written = new AtomicLong();

  private final AtomicLong durable = new AtomicLong();

  /** Writes without a message that are under way: they may count before they are counted. */
  private final AtomicLong underWay = new AtomicLong();

  // written with lock held
  private volatile @Nullable Link link;
  private volatile NodeRequest.@Nullable Present presented; // over that link

  private volatile @Nullable String lost;

  ReturningLink(TransferContext carrier, int node, Supplier<NodeRequest.@Nullable Present> shown) {
    this.carrier = carrier;
    this.node = node;
    this.shown = shown;
    this.pause = carrier.env().signal(lock);
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
        case NodeRequest.Pin pin -> pin.write() ? WRITE : READ;
        case NodeRequest.Flush _ -> FLUSH;
        default -> READ;
      };
    }
  }

  private Link link() {
    Link now = link;
    if (now != null) {
      return now;
    }
    lock.lock();
    try {
      Link there = link;
      if (there == null) {
        there = carrier.nodes().link(node);
        link = there;
      }
      return there;
    } finally {
      lock.unlock();
    }
  }

  /** The link, over which the node is shown what it wants to see before anything else. */
  private Link ready() throws MillraceException {
    String why = lost;
    if (why != null) {
      throw new MillraceException(ErrorCode.LOST, why);
    }
    Link now = link();
    NodeRequest.Present wanted = shown.get();
    if (wanted != null && presented != wanted) {
      lock.lock();
      try {
        if (link == now && presented != wanted) {
          now.start(wanted, MemorySegment.NULL); // what follows comes after it
          presented = wanted;
        }
      } finally {
        lock.unlock();
      }
    }
    return now;
  }

  @Override
  public Pending start(Message request, Payload payload) {
    return new Repeated(request, payload);
  }

  /** A request that is repeated if its node was restarted. */
  private final class Repeated implements Pending {

    private final Message request;
    private final Payload payload;
    private final Purpose purpose;

    // of the thread that waits
    private volatile Link at;
    private volatile @Nullable Pending pending;
    private volatile @Nullable MillraceException failure;
    private volatile long writtenBefore;
    private volatile boolean shownAgain;

    Repeated(Message request, Payload payload) {
      this.request = request;
      this.payload = payload;
      this.purpose = Purpose.of(request);
      this.at = link();
      send();
    }

    private void send() {
      writtenBefore = written.get();
      try {
        at = ready();
        pending = at.start(request, payload);
      } catch (MillraceException e) {
        failure = e;
      }
    }

    private Pending pending() throws MillraceException {
      Pending now = pending;
      MillraceException failed = failure;
      if (failed != null || now == null) {
        throw failed == null ? new MillraceException(ErrorCode.CLOSED, "not sent") : failed;
      }
      return now;
    }

    private void again(MillraceException e, long deadlineNanos) throws IOException {
      Pending before = pending();
      before.abandon();
      shownAgain = recover(at, e, shownAgain, deadlineNanos);
      send();
    }

    @Override
    public Message await(long deadlineNanos) throws IOException {
      while (true) {
        try {
          Message reply = pending().await(deadlineNanos);
          onDone(purpose, writtenBefore);
          return reply;
        } catch (MillraceException e) {
          again(e, deadlineNanos);
        }
      }
    }

    @Override
    public boolean advance(long deadlineNanos) throws IOException {
      try {
        boolean ended = pending().advance(deadlineNanos);
        if (ended) {
          onDone(purpose, writtenBefore);
        }
        return ended;
      } catch (MillraceException e) {
        again(e, deadlineNanos);
        return false;
      }
    }

    @Override
    public boolean isDone() {
      Pending now = pending;
      return now == null || now.isDone();
    }

    @Override
    public boolean canAdvance() {
      Pending now = pending;
      return now == null || now.canAdvance();
    }

    @Override
    public boolean isAnswered() {
      Pending now = pending;
      return now == null || now.isAnswered();
    }

    @Override
    public void abandon() {
      Pending now = pending;
      if (now != null) {
        now.abandon();
      }
    }
  }

  private void onDone(Purpose purpose, long writtenBefore) {
    if (purpose == Purpose.WRITE) {
      written.incrementAndGet();
    } else if (purpose == Purpose.FLUSH) {
      durable.accumulateAndGet(writtenBefore, Math::max);
    }
  }

  /**
   * Returns when a request that failed is worth repeating, and throws its error when it is not.
   *
   * @param shownAgain whether the node was shown again what it wants to see, and waited for
   * @return whether it was now, or before
   */
  private boolean recover(Link failed, MillraceException e, boolean shownAgain, long deadlineNanos)
      throws IOException {
    if (e.code() == ErrorCode.NOT_PERMITTED && !shownAgain) {
      NodeRequest.Present wanted = shown.get();
      if (wanted == null) {
        throw e;
      }
      failed.call(wanted, MemorySegment.NULL, deadlineNanos); // its node may have forgotten
      return true;
    }
    if (!NodeLinks.isDead(e) || carrier.env().nanoTime() >= deadlineNanos) {
      throw e;
    }
    if (underWay.get() > 0 || written.get() > durable.get()) {
      lost =
          "node %s has ended, and with it perhaps what was written and not forced: open the file again, and write it again"
              .formatted(node);
      MillraceException told = new MillraceException(ErrorCode.LOST, lost);
      told.initCause(e);
      throw told;
    }
    replace(failed, deadlineNanos);
    return false;
  }

  private void replace(Link failed, long deadlineNanos) throws MillraceException {
    Env env = carrier.env();
    lock.lock();
    try {
      if (link == failed) {
        Link next = carrier.nodes().replace(node, failed);
        link = next;
        presented = null;
        if (next.isBroken()) { // it is not back yet
          pause.await(Math.min(deadlineNanos, env.deadlineAfter(PAUSE_NANOS)));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = Long.MIN_VALUE;
    boolean shownAgain = false;
    while (true) {
      Link now = ready();
      try {
        return now.get(key, offset, into, at, length, timeoutNanos);
      } catch (MillraceException e) {
        deadline = deadline(deadline, timeoutNanos);
        shownAgain = recover(now, e, shownAgain, deadline);
      }
    }
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = Long.MIN_VALUE;
    boolean shownAgain = false;
    while (true) {
      Link now = ready();
      try {
        now.put(key, offset, source, at, length, timeoutNanos);
        onDone(Purpose.WRITE, 0);
        return;
      } catch (MillraceException e) {
        deadline = deadline(deadline, timeoutNanos);
        shownAgain = recover(now, e, shownAgain, deadline);
      }
    }
  }

  /** Counted from the first failure, so that the clock need not be read without one. */
  private long deadline(long known, long timeoutNanos) {
    return known == Long.MIN_VALUE ? carrier.env().deadlineAfter(timeoutNanos) : known;
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    return ready().advance(key, delta, floor, limit, timeoutNanos);
  }

  @Override
  public void hint(long key, long offset, long length) {
    try {
      ready().hint(key, offset, length);
    } catch (MillraceException e) {
      return; // what comes next fails with it
    }
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return link().isReady(key, offset, length);
  }

  @Override
  public long maxPayloadBytes() {
    return link().maxPayloadBytes();
  }

  @Override
  public @Nullable MappedSlabs reached() {
    return link().reached();
  }

  @Override
  public boolean isConnected() {
    return lost == null && link().isConnected();
  }

  /**
   * The write is under way before it is known that the node is there, and until it was counted. So
   * who finds out that the node has ended sees it, or it sees that the node has ended.
   */
  @Override
  public boolean beginWriteInto(MappedSlabs into) {
    underWay.incrementAndGet();
    boolean there = lost == null && link().beginWriteInto(into);
    if (!there) {
      underWay.decrementAndGet();
    }
    return there;
  }

  @Override
  public void endWriteInto(boolean counts) {
    if (counts) {
      written.incrementAndGet(); // a flush that began before this does not make it durable
    }
    underWay.decrementAndGet();
  }

  @Override
  public void close() {}
}
