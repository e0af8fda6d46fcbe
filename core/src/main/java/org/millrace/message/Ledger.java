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
 * The requests of one session that are under way, and the answers that are kept until they have
 * arrived. Numbers below {@code acknowledged} are done with; above it some answers may have arrived
 * although an earlier one has not.
 *
 * <p>Guarded by the session's lock.
 */
final class Ledger {

  /** Bytes of answers that are kept for a sender. */
  private static final long MOST_KEPT = 32 << 20;

  /** Requests that may be answered while an earlier one is not. */
  private static final int MOST_BEHIND = 1 << 26;

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
  record Outbound(Frame frame, ByteBuffer body, ByteBuffer payload) {

    long bytes() {
      return (long) frame.body() + frame.payload();
    }
  }

  private final Map<Long, Asked> asked = new HashMap<>();
  private long acknowledged;
  private BitSet arrived = new BitSet(); // answers from acknowledged on that have arrived
  private int unanswered;
  private long keptBytes;

  Collection<Asked> all() {
    return asked.values();
  }

  @Nullable Asked get(long id) {
    return asked.get(id);
  }

  void clear() {
    asked.clear();
  }

  /** Notes a request that is not known; null if it is a late copy of what was answered long ago. */
  @Nullable Asked begin(
      Frame frame, boolean keep, long deadlineNanos, @Nullable Connection bringer, int most)
      throws MillraceException {
    if (frame.id() < acknowledged || arrived.get(index(frame.id()))) {
      return null;
    }
    if (unanswered >= most) {
      throw new MillraceException(ErrorCode.PROTOCOL, "more than " + most + " requests under way");
    }
    Asked fresh = new Asked(frame, keep, deadlineNanos, bringer);
    asked.put(frame.id(), fresh);
    unanswered++;
    return fresh;
  }

  private int index(long id) throws MillraceException {
    long index = id - acknowledged;
    if (index < 0 || index > MOST_BEHIND) {
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
    for (Iterator<Map.Entry<Long, Asked>> all = asked.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Long, Asked> one = all.next();
      if (one.getKey() < below && one.getValue().answer != null) {
        forget(one.getValue());
        all.remove();
      }
    }
  }

  /** An answer has arrived, whatever there is below it. */
  void arrived(long id) throws MillraceException {
    if (id < acknowledged) {
      return;
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

  private void forget(Asked one) {
    if (one.answer != null) {
      keptBytes -= one.answer.bytes();
    }
  }

  /** A request is being answered. */
  void answered(Asked request, boolean over) {
    if (request.answered) {
      throw new IllegalStateException("answered twice: request " + request.frame.id());
    }
    request.answered = true;
    if (!over) {
      unanswered--;
    }
    if (!request.kept) {
      asked.remove(request.frame.id());
    }
  }

  /** Keeps an answer; true if that is more than anybody should let us keep. */
  boolean keep(Asked request, Outbound answer) {
    request.answer = answer;
    keptBytes += answer.bytes();
    return keptBytes > MOST_KEPT;
  }
}
