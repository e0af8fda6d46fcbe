package org.millrace.message;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The pending requests of one session, and the replies that are kept until the client has received
 * them, so that a repeated request is not executed twice. Numbers below {@code acknowledged} are
 * finished; above it some answers may have arrived although an earlier one has not.
 *
 * <p>Guarded by the session's lock.
 */
final class ReplyCache {

  /** Bytes of answers that are kept for a sender. */
  private static final long MAX_KEPT = 32 << 20;

  /** Requests that may be answered while an earlier one is not. */
  private static final int MAX_BEHIND = 1 << 26;

  /** A received request whose reply has not been acknowledged. */
  static final class ReceivedRequest {
    final FrameHeader frame;
    final boolean kept;
    final long deadlineNanos;
    @Nullable Connection connection;
    boolean answered;
    @Nullable Outbound answer;
    @Nullable IncomingPayload incoming;

    ReceivedRequest(
        FrameHeader frame, boolean kept, long deadlineNanos, @Nullable Connection connection) {
      this.frame = frame;
      this.kept = kept;
      this.deadlineNanos = deadlineNanos;
      this.connection = connection;
    }
  }

  /**
   * A pulled payload that has not arrived yet: its target, what follows, and what to do if it never
   * arrives.
   */
  static final class IncomingPayload {
    final MemorySegment memory;
    final long bytes;
    final Runnable then;
    final Runnable abandon;
    final long sinceNanos;
    MemorySink sink;

    IncomingPayload(
        MemorySegment memory, long bytes, Runnable then, Runnable abandon, long sinceNanos) {
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

    /**
     * A new sink for the connection that delivers the payload now; the former connection's sink is
     * cancelled.
     */
    MemorySink renewed() {
      sink.cancel();
      sink = fresh();
      return sink;
    }
  }

  /** A reply that is sent again if necessary. */
  record Outbound(FrameHeader frame, ByteBuffer body, ByteBuffer payload) {

    long bytes() {
      return (long) frame.body() + frame.payload();
    }
  }

  private final Map<Long, ReceivedRequest> requests = new HashMap<>();
  private long acknowledged;
  private BitSet arrived = new BitSet(); // answers from acknowledged on that have arrived
  private int unanswered;
  private long keptBytes;

  Collection<ReceivedRequest> all() {
    return requests.values();
  }

  @Nullable ReceivedRequest get(long id) {
    return requests.get(id);
  }

  void clear() {
    requests.clear();
  }

  /** Records a new request; null if it is a late copy of one that was answered long ago. */
  @Nullable ReceivedRequest begin(
      FrameHeader frame, boolean keep, long deadlineNanos, @Nullable Connection connection, int max)
      throws MillraceException {
    if (frame.id() < acknowledged || arrived.get(index(frame.id()))) {
      return null;
    }
    if (unanswered >= max) {
      throw new MillraceException(ErrorCode.PROTOCOL, "more than " + max + " requests under way");
    }
    ReceivedRequest fresh = new ReceivedRequest(frame, keep, deadlineNanos, connection);
    requests.put(frame.id(), fresh);
    unanswered++;
    return fresh;
  }

  private int index(long id) throws MillraceException {
    long index = id - acknowledged;
    if (index < 0 || index > MAX_BEHIND) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "request " + id + " while " + acknowledged + " is not acknowledged");
    }
    return (int) index;
  }

  /** All answers below a number have arrived. */
  void acknowledge(long below) {
    if (below <= acknowledged) {
      return;
    }
    long step = below - acknowledged;
    arrived = step >= arrived.length() ? new BitSet() : arrived.get((int) step, arrived.length());
    acknowledged = below;
    for (Iterator<Map.Entry<Long, ReceivedRequest>> all = requests.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Long, ReceivedRequest> one = all.next();
      if (one.getKey() < below && one.getValue().answer != null) {
        forget(one.getValue());
        all.remove();
      }
    }
  }

  /** The client has received a reply, perhaps before earlier ones. */
  void arrived(long id) throws MillraceException {
    if (id < acknowledged) {
      return;
    }
    ReceivedRequest one = requests.get(id);
    if (one == null || one.answer != null) {
      arrived.set(index(id));
      requests.remove(id);
      if (one != null) {
        forget(one);
      }
    }
  }

  private void forget(ReceivedRequest one) {
    if (one.answer != null) {
      keptBytes -= one.answer.bytes();
    }
  }

  /** A request is being answered. */
  void answered(ReceivedRequest request, boolean over) {
    if (request.answered) {
      throw new IllegalStateException("answered twice: request " + request.frame.id());
    }
    request.answered = true;
    if (!over) {
      unanswered--;
    }
    if (!request.kept) {
      requests.remove(request.frame.id());
    }
  }

  /** Keeps a reply; true if the session now keeps too many bytes. */
  boolean keep(ReceivedRequest request, Outbound answer) {
    request.answer = answer;
    keptBytes += answer.bytes();
    return keptBytes > MAX_KEPT;
  }
}
