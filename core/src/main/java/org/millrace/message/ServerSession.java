package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.AttachedSlabs;

/**
 * One sender's session at an endpoint. It outlives lost connections for a while: requests that the
 * sender repeats after coming back are carried out once, because those under way are known and
 * answers that must not be lost are kept until the sender has said that they arrived.
 *
 * <p>Safe for use by several threads: one lock, not held while the endpoint works.
 */
final class ServerSession {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** The name of memory at the end of a body: place and length. */
  private static final int NAME_BYTES = 2 * Long.BYTES;

  /** Answers with payloads that are kept for a sender. */
  private static final long MOST_KEPT = 32 << 20;

  /** Requests that may be answered while an earlier one is not. */
  private static final int MOST_BEHIND = 1 << 26;

  // constant after construction
  final Peer peer;
  final String token;
  final Served served;
  private final Env env;
  private final Codec codec;
  private final int mostInFlight;
  private final @Nullable AttachedSlabs slabs;
  final TransferMemory.Share share = new TransferMemory.Share();
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Long, Asked> asked = new HashMap<>();
  private @Nullable Connection connection;
  private long lostNanos = Env.NEVER;
  private long acknowledged;
  private BitSet arrived = new BitSet(); // answers from acknowledged on that have arrived
  private int unanswered;
  private long keptBytes;
  private boolean over;

  ServerSession(
      Env env,
      Codec codec,
      Peer peer,
      String token,
      Served served,
      int inFlight,
      @Nullable AttachedSlabs slabs) {
    this.env = env;
    this.codec = codec;
    this.peer = peer;
    this.token = token;
    this.served = served;
    this.mostInFlight = inFlight;
    this.slabs = slabs;
  }

  /** A request that has come and whose answer has not been acknowledged. */
  static final class Asked {
    final Frame frame;
    final boolean kept;
    final long deadlineNanos;
    @Nullable Connection bringer;
    boolean answered;
    @Nullable Outbound answer;
    @Nullable Cargoing cargo;

    Asked(Frame frame, boolean kept, long deadlineNanos, @Nullable Connection bringer) {
      this.frame = frame;
      this.kept = kept;
      this.deadlineNanos = deadlineNanos;
      this.bringer = bringer;
    }
  }

  /**
   * A payload that was pulled and is on its way: where it goes, what then, what if it never comes.
   */
  static final class Cargoing {
    final MemorySegment memory;
    final long bytes;
    final Runnable then;
    final Runnable abandon;
    final long sinceNanos;
    MemorySink sink;

    Cargoing(MemorySegment memory, long bytes, Runnable then, Runnable abandon, long sinceNanos) {
      this.memory = memory;
      this.bytes = bytes;
      this.then = then;
      this.abandon = abandon;
      this.sinceNanos = sinceNanos;
      this.sink = fresh();
    }

    private MemorySink fresh() {
      return new MemorySink(memory, bytes, () -> {});
    }

    /** For a connection that brings it: who brought it before brings it no more. */
    MemorySink renewed() {
      sink.cancel();
      sink = fresh();
      return sink;
    }
  }

  /** An answer that goes out again if it has to. */
  record Outbound(Frame frame, ByteBuffer body, ByteBuffer payload) {}

  /** The sender has more memory in which payloads may lie. */
  void onSlab(ByteBuffer body) throws IOException {
    AttachedSlabs all = slabs;
    if (all == null) {
      throw new MillraceException(ErrorCode.PROTOCOL, "no shared memory was agreed on");
    }
    Decoder from = new Decoder(body);
    int number = from.getInt();
    long bytes = from.getLong();
    String path = from.getText();
    from.end();
    if (number >= 0 && number < all.count()) {
      return; // said again after the connection was lost
    }
    try {
      all.attach(number, Path.of(path), bytes);
    } catch (InvalidPathException e) {
      throw from.wrong("shared memory at " + e.getMessage());
    }
  }

  /** Whether payloads may lie in shared memory. */
  boolean isShared() {
    return slabs != null;
  }

  /** A connection speaks for this session from now on. */
  void attach(Connection fresh) {
    Connection old;
    lock.lock();
    try {
      old = connection;
      connection = fresh;
      lostNanos = Env.NEVER;
    } finally {
      lock.unlock();
    }
    if (old != null && old != fresh) {
      old.lose("the sender has come again");
    }
  }

  /** A connection is lost; the session waits for another one. */
  void detach(Connection old) {
    lock.lock();
    try {
      if (connection == old || connection == null) {
        connection = null;
        lostNanos = env.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets the sender come back; false if the session has ended. */
  boolean revive() {
    lock.lock();
    try {
      lostNanos = Env.NEVER;
      return !over;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the session if its sender has been away for longer than {@code graceNanos}. */
  boolean endIfAway(long nowNanos, long graceNanos) {
    lock.lock();
    try {
      boolean away =
          connection == null && lostNanos != Env.NEVER && nowNanos - lostNanos > graceNanos;
      over |= away;
      return away;
    } finally {
      lock.unlock();
    }
  }

  boolean isOver() {
    lock.lock();
    try {
      return over;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a payload that was pulled has not come for longer than {@code mostNanos}. */
  boolean isStalled(long nowNanos, long mostNanos) {
    lock.lock();
    try {
      for (Asked one : asked.values()) {
        if (one.cargo != null && nowNanos - one.cargo.sinceNanos > mostNanos) {
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the session for good. Called once by whoever removed it. */
  void end(String why) {
    Connection last;
    List<Runnable> abandoned = new ArrayList<>();
    lock.lock();
    try {
      over = true;
      last = connection;
      connection = null;
      for (Asked one : asked.values()) {
        if (one.cargo != null) {
          one.cargo.sink.cancel();
          abandoned.add(one.cargo.abandon);
        }
      }
      asked.clear();
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.lose(why);
    }
    abandoned.forEach(Runnable::run);
    closeSlabs();
    served.endpoint().onGone(peer, why);
  }

  private void closeSlabs() {
    try {
      if (slabs != null) {
        slabs.close();
      }
    } catch (IOException e) {
      // the memory is the sender's, who removes it
    }
  }

  /** Whether a request is new: then it is carried out. Else its answer is sent again. */
  @Nullable Asked begin(Frame frame, boolean keep) throws MillraceException {
    Outbound again;
    boolean pull;
    Connection to;
    lock.lock();
    try {
      acknowledge(frame.acknowledged());
      Asked known = asked.get(frame.id());
      if (known == null) {
        if (over || frame.id() < acknowledged || arrived.get(index(frame.id()))) {
          return null; // a late copy of what was answered long ago
        }
        if (unanswered >= mostInFlight) {
          throw new MillraceException(
              ErrorCode.PROTOCOL, "more than " + mostInFlight + " requests under way");
        }
        Asked fresh = new Asked(frame, keep, deadline(frame), connection);
        asked.put(frame.id(), fresh);
        unanswered++;
        return fresh;
      }
      known.bringer = connection;
      again = known.answer;
      pull = known.cargo != null;
      to = connection;
    } finally {
      lock.unlock();
    }
    if (again != null && to != null) {
      to.send(again.frame, again.body, again.payload, () -> {});
    } else if (pull && to != null) {
      to.send(FrameKind.PULL, frame.id(), 0, NOTHING);
    }
    return null;
  }

  private long deadline(Frame frame) {
    return frame.millis() == 0 ? Env.NEVER : env.deadlineAfter(frame.millis() * 1_000_000L);
  }

  private int index(long id) throws MillraceException {
    long index = id - acknowledged;
    if (index < 0 || index > MOST_BEHIND) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "request " + id + " while " + acknowledged + " is not acknowledged");
    }
    return (int) index;
  }

  private void acknowledge(long below) {
    if (below <= acknowledged) {
      return;
    }
    long step = below - acknowledged;
    arrived = step >= arrived.length() ? new BitSet() : arrived.get((int) step, arrived.length());
    acknowledged = below;
    for (Iterator<Map.Entry<Long, Asked>> all = asked.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Long, Asked> one = all.next();
      if (one.getKey() < below && one.getValue().answer != null) {
        forget(one.getValue());
        all.remove();
      }
    }
  }

  private void forget(Asked one) {
    if (one.answer != null) {
      keptBytes -= one.answer.payload.remaining();
    }
  }

  /** Answers have arrived whose numbers lie above one that has not. */
  void onArrived(ByteBuffer body) throws MillraceException {
    Decoder from = new Decoder(body);
    int count = from.getCount(Long.BYTES);
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        long id = from.getLong();
        if (id < acknowledged) {
          continue;
        }
        Asked one = asked.get(id);
        if (one == null || one.answer != null) {
          arrived.set(index(id));
          asked.remove(id);
          if (one != null) {
            forget(one);
          }
        }
      }
    } finally {
      lock.unlock();
    }
    from.end();
  }

  /** Answers a request. {@code onWritten} is called when the payload is not needed any more. */
  void answer(
      Asked request, FrameKind kind, ByteBuffer body, ByteBuffer payload, Runnable onWritten) {
    Frame frame =
        new Frame(kind, 0, 0, request.frame.id(), 0, body.remaining(), payload.remaining());
    Connection to;
    boolean greedy = false;
    lock.lock();
    try {
      if (request.answered) {
        throw new IllegalStateException("answered twice: request " + request.frame.id());
      }
      request.answered = true;
      to = connection;
      if (!over) {
        unanswered--;
      }
      if (!request.kept) {
        asked.remove(request.frame.id());
        if (to != request.bringer) {
          to = null; // its copy is on its way over the new connection, and must not come later
        }
      } else if (!over) {
        request.answer = new Outbound(frame, body, copy(payload));
        keptBytes += payload.remaining();
        greedy = keptBytes > MOST_KEPT;
      }
    } finally {
      lock.unlock();
    }
    if (to == null) {
      onWritten.run(); // who comes back asks again
      return;
    }
    to.send(frame, body, payload, onWritten);
    if (greedy) {
      to.lose("it does not say which answers have arrived");
    }
  }

  /** The memory of a payload goes back when it is written, long before it is acknowledged. */
  private static ByteBuffer copy(ByteBuffer payload) {
    return payload.hasRemaining()
        ? ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip()
        : NOTHING;
  }

  void fail(Asked request, MillraceException error) {
    String message = error.getMessage() == null ? error.code().name() : error.getMessage();
    answer(request, FrameKind.FAILED, Greeting.error(error.code(), message), NOTHING, () -> {});
  }

  /** Sends the sender of a request something that belongs to it. */
  void tell(Asked request, FrameKind kind) {
    Connection to;
    lock.lock();
    try {
      to = connection;
    } finally {
      lock.unlock();
    }
    if (to != null) {
      to.send(kind, request.frame.id(), 0, NOTHING);
    }
  }

  /** Waits for the payload of a request; false if the session has ended. */
  boolean awaitCargo(
      Asked request, MemorySegment memory, long bytes, Runnable then, Runnable abandon) {
    lock.lock();
    try {
      if (!over) {
        request.cargo = new Cargoing(memory, bytes, then, abandon, env.nanoTime());
      }
      return !over;
    } finally {
      lock.unlock();
    }
  }

  /** Where the payload of a request goes that a connection brings; null if nobody waits for it. */
  @Nullable MemorySink cargoSink(long id, long bytes) throws MillraceException {
    lock.lock();
    try {
      Asked one = asked.get(id);
      if (one == null || one.cargo == null) {
        return null;
      }
      if (one.cargo.bytes != bytes) {
        throw new MillraceException(
            ErrorCode.PROTOCOL,
            "%d bytes of a payload of %d that was pulled".formatted(bytes, one.cargo.bytes));
      }
      return one.cargo.renewed();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The payload of a request is there: what is to be done next; null if nobody waits for it, or for
   * it over another connection.
   */
  @Nullable Runnable takeCargo(long id, @Nullable MemorySink full) {
    lock.lock();
    try {
      Asked one = asked.get(id);
      if (one == null || one.cargo == null || one.cargo.sink != full) {
        return null;
      }
      Runnable then = one.cargo.then;
      one.cargo = null;
      return then;
    } finally {
      lock.unlock();
    }
  }

  Message decode(ByteBuffer body) throws IOException {
    return codec.decode(new Decoder(body));
  }

  Codec codec() {
    return codec;
  }

  /** The memory that the end of a body names, which is cut off. */
  MemorySegment named(ByteBuffer body) throws MillraceException {
    int at = body.limit() - NAME_BYTES;
    AttachedSlabs all = slabs;
    if (at < body.position() || all == null) {
      throw new MillraceException(ErrorCode.PROTOCOL, "no name of shared memory");
    }
    MemorySegment memory = all.piece(body.getLong(at), body.getLong(at + Long.BYTES));
    body.limit(at);
    return memory;
  }
}
