package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.ReplyCache.IncomingPayload;
import org.millrace.message.ReplyCache.ReceivedRequest;
import org.millrace.wire.AttachedSlabs;

/**
 * The server's side of a session. It outlives lost connections for a while. Requests that the
 * client repeats after reconnecting are carried out once, because the session knows those in
 * progress, and keeps answers that must not be lost until the client has acknowledged them.
 *
 * <p>Safe for use by several threads: one lock, not held while the endpoint works.
 */
final class ServerSession {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** What an error says is for people. */
  private static final int MAX_TEXT = 16 << 10;

  /** The name of memory at the end of a body: place and length. */
  private static final int NAME_BYTES = 2 * Long.BYTES;

  // constant after construction
  final Peer peer;
  final String token;
  final ServedEndpoint served;
  private final Env env;
  private final Codec codec;
  private final int maxInFlight;
  private final @Nullable AttachedSlabs slabs;
  final TransferMemory.Share share = new TransferMemory.Share();
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final ReplyCache replyCache = new ReplyCache();
  private @Nullable Connection connection;
  private long lostNanos = Env.NEVER;
  private boolean over;

  ServerSession(
      Env env,
      Codec codec,
      Peer peer,
      String token,
      ServedEndpoint served,
      int inFlight,
      @Nullable AttachedSlabs slabs) {
    this.env = env;
    this.codec = codec;
    this.peer = peer;
    this.token = token;
    this.served = served;
    this.maxInFlight = inFlight;
    this.slabs = slabs;
  }

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
      old = over ? fresh : connection; // it may have been withdrawn meanwhile
      connection = over ? null : fresh;
      lostNanos = Env.NEVER;
    } finally {
      lock.unlock();
    }
    if (old == fresh) {
      fresh.lose("the session has ended");
    } else if (old != null) {
      old.lose("the client has reconnected");
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

  /** Whether a payload that was pulled has not come for longer than {@code maxNanos}. */
  boolean isStalled(long nowNanos, long maxNanos) {
    lock.lock();
    try {
      for (ReceivedRequest one : replyCache.all()) {
        if (one.incoming != null && nowNanos - one.incoming.sinceNanos > maxNanos) {
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Loses the connection for good: nothing more is sent, and it cannot be resumed. */
  void cut(String reason) {
    Connection last;
    lock.lock();
    try {
      over = true;
      last = connection;
      connection = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.lose(reason);
    }
  }

  /** Ends the session for good. Called once, by the thread that removed it. */
  void end(String reason) {
    Connection last;
    List<Runnable> abandoned = new ArrayList<>();
    lock.lock();
    try {
      over = true;
      last = connection;
      connection = null;
      for (ReceivedRequest one : replyCache.all()) {
        if (one.incoming != null) {
          one.incoming.sink.cancel();
          abandoned.add(one.incoming.abandon);
        }
      }
      replyCache.clear();
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.lose(reason);
    }
    abandoned.forEach(Runnable::run);
    closeSlabs();
    served.endpoint().onSessionEnd(peer, reason);
  }

  private void closeSlabs() {
    try {
      if (slabs != null) {
        slabs.close();
      }
    } catch (IOException e) {
      // the sender owns the memory and removes it
    }
  }

  /** Whether a request is new: then it is carried out. Else its answer is sent again. */
  @Nullable ReceivedRequest begin(FrameHeader frame, boolean keep) throws MillraceException {
    ReplyCache.Outbound again;
    boolean pull;
    Connection to;
    lock.lock();
    try {
      replyCache.acknowledge(frame.acknowledged());
      ReceivedRequest known = replyCache.get(frame.id());
      if (known == null) {
        return over
            ? null
            : replyCache.begin(frame, keep, deadline(frame), connection, maxInFlight);
      }
      known.connection = connection;
      again = known.answer;
      pull = known.incoming != null;
      to = connection;
    } finally {
      lock.unlock();
    }
    if (again != null && to != null) {
      to.send(again.frame(), again.body(), again.payload(), () -> {});
    } else if (pull && to != null) {
      to.send(FrameKind.PULL, frame.id(), 0, NOTHING);
    }
    return null;
  }

  private long deadline(FrameHeader frame) {
    return frame.millis() == 0 ? Env.NEVER : env.deadlineAfter(frame.millis() * 1_000_000L);
  }

  /** Answers have arrived whose numbers lie above one that has not. */
  void onArrived(ByteBuffer body) throws MillraceException {
    Decoder from = new Decoder(body);
    int count = from.getCount(Long.BYTES);
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        replyCache.arrived(from.getLong());
      }
    } finally {
      lock.unlock();
    }
    from.end();
  }

  /** Replies to a request. {@code onWritten} is called when the payload is no longer needed. */
  void answer(
      ReceivedRequest request,
      FrameKind kind,
      ByteBuffer body,
      ByteBuffer payload,
      Runnable onWritten) {
    FrameHeader frame =
        new FrameHeader(kind, 0, 0, request.frame.id(), 0, body.remaining(), payload.remaining());
    Connection to;
    boolean greedy = false;
    lock.lock();
    try {
      to = connection;
      replyCache.answered(request, over);
      if (!request.kept) {
        if (to != request.connection) {
          to = null; // its copy is on its way over the new connection, and must not come later
        }
      } else if (!over) {
        greedy = replyCache.keep(request, new ReplyCache.Outbound(frame, body, copy(payload)));
      }
    } finally {
      lock.unlock();
    }
    if (to == null) {
      onWritten.run(); // a sender that comes back asks again
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

  void fail(ReceivedRequest request, MillraceException error) {
    String whole = error.getMessage() == null ? error.code().name() : error.getMessage();
    String message = whole.length() <= MAX_TEXT ? whole : whole.substring(0, MAX_TEXT) + "...";
    answer(
        request,
        FrameKind.FAILED,
        Handshake.error(error.code(), message, error.detail()),
        NOTHING,
        () -> {});
  }

  /** Sends the sender of a request something that belongs to it. */
  void tell(ReceivedRequest request, FrameKind kind) {
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
  boolean awaitPayload(
      ReceivedRequest request, MemorySegment memory, long bytes, Runnable then, Runnable abandon) {
    lock.lock();
    try {
      if (!over) {
        request.incoming = new IncomingPayload(memory, bytes, then, abandon, env.nanoTime());
      }
      return !over;
    } finally {
      lock.unlock();
    }
  }

  /** Where the payload of a request goes that a connection brings; null if nobody waits for it. */
  @Nullable MemorySink payloadSink(long id, long bytes) throws MillraceException {
    lock.lock();
    try {
      ReceivedRequest one = replyCache.get(id);
      if (one == null || one.incoming == null) {
        return null;
      }
      if (one.incoming.bytes != bytes) {
        throw new MillraceException(
            ErrorCode.PROTOCOL,
            "%s bytes of a payload of %s that was pulled".formatted(bytes, one.incoming.bytes));
      }
      return one.incoming.renewed();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The payload of a request is there: what is to be done next; null if nobody waits for it, or for
   * it over another connection.
   */
  @Nullable Runnable takePayload(long id, @Nullable MemorySink full) {
    lock.lock();
    try {
      ReceivedRequest one = replyCache.get(id);
      if (one == null || one.incoming == null || one.incoming.sink != full) {
        return null;
      }
      Runnable then = one.incoming.then;
      one.incoming = null;
      return then;
    } finally {
      lock.unlock();
    }
  }

  Message decode(ByteBuffer body) throws IOException {
    return codec.decodeRequest(new Decoder(body));
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
