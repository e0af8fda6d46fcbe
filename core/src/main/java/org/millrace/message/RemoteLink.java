package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Pool;

/**
 * A link to an endpoint in another process. Long gets and puts are several short ones under way at
 * a time; payloads that lie in shared memory are named instead of sent, and those of gets and puts
 * are put there where that pays.
 *
 * <p>Safe for use by several threads.
 */
final class RemoteLink implements Link {

  /** Slices of a long get or put that are under way at a time. */
  private static final int WINDOW = 6;

  /** Shorter gets and puts are quicker as part of their frames. */
  private static final int LEAST_SHARED = 4 << 10;

  /** The largest request, beside the name of its payload. */
  private static final int MOST_BODY = Frame.MOST_BODY - 64;

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final Conversation conversation;
  private final TransferMemory spare;
  private final @Nullable PooledStaging staging;

  RemoteLink(
      Env env,
      Codec codec,
      Conversation conversation,
      TransferMemory spare,
      @Nullable PooledStaging staging) {
    this.env = env;
    this.codec = codec;
    this.conversation = conversation;
    this.spare = spare;
    this.staging = staging != null && conversation.isShared() ? staging : null;
  }

  @Override
  public boolean isBroken() {
    return conversation.broken() != null;
  }

  @Override
  public long mostPayloadBytes() {
    return Frame.MOST_PAYLOAD;
  }

  @Override
  public Pending start(Message request, MemorySegment payload) {
    return start(request, payload, Env.NEVER);
  }

  @Override
  public Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    return await(start(request, payload, deadlineNanos), deadlineNanos);
  }

  private RemoteCall start(Message request, MemorySegment payload, long deadlineNanos) {
    Encoder body = new Encoder();
    codec.encode(request, body);
    if (body.size() > MOST_BODY) {
      RemoteCall refused =
          new RemoteCall(
              env, request, FrameKind.REQUEST, body.written(), true, deadlineNanos, spare);
      refused.onFailure(
          new MillraceException(
              ErrorCode.REFUSED,
              "the request to %2$s has %1$d bytes, at most %3$d can be sent: a list of too many runs?"
                  .formatted(body.size(), conversation.name(), Frame.MOST_BODY)));
      return refused;
    }
    Cargo cargo = codec.cargo(request, payload.byteSize());
    RemoteCall call =
        new RemoteCall(
            env,
            request,
            FrameKind.REQUEST,
            body.written(),
            codec.isRepeatable(request),
            deadlineNanos,
            spare);
    if (cargo.direction() != Cargo.Direction.NONE && !name(call, payload)) {
      if (cargo.direction() == Cargo.Direction.TO_RECEIVER) {
        call.takes(payload, cargo);
      } else {
        call.brings(payload, cargo);
      }
    }
    return conversation.begin(call);
  }

  /** Names the payload's place in shared memory, if it lies there. */
  private boolean name(RemoteCall call, MemorySegment payload) {
    long place = staging == null ? Pool.NOWHERE : staging.pool().locate(payload);
    if (place == Pool.NOWHERE || payload.byteSize() == 0) {
      return false;
    }
    call.names(place, payload.byteSize());
    return true;
  }

  private Message await(RemoteCall call, long deadlineNanos) throws IOException {
    try {
      return call.await(deadlineNanos);
    } catch (DeadlineException e) {
      call.abandon();
      throw new DeadlineException(conversation.name() + ": " + e.getMessage());
    } catch (IOException e) {
      call.abandon(); // the thread that reads may still be filling its memory
      throw e;
    }
  }

  /** A get or put of a part, and the shared memory that was taken for it. */
  private record Slice(RemoteCall call, long at, long length, @Nullable MemorySegment shared) {}

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    if (length <= LEAST_SHARED) {
      RemoteCall call = verb(FrameKind.GET, key, offset, length, true, deadline);
      call.brings(into.asSlice(at, length), Cargo.whole(Cargo.Direction.TO_SENDER, length));
      return value(await(conversation.begin(call), deadline));
    }
    ArrayDeque<Slice> window = new ArrayDeque<>();
    long asked = 0;
    long total = 0;
    boolean whole = true;
    try {
      while (asked < length || !window.isEmpty()) {
        while (window.size() < WINDOW && asked < length) {
          long part = Math.min(Frame.SLICE, length - asked);
          window.add(startGet(key, offset + asked, into, at + asked, part, deadline));
          asked += part;
        }
        Slice slice = window.remove();
        long got = finishGet(slice, into, deadline);
        if (whole) {
          total += got;
          whole = got == slice.length;
        }
      }
      return total;
    } finally {
      window.forEach(this::abandon);
    }
  }

  private Slice startGet(
      long key, long offset, MemorySegment into, long at, long length, long deadline) {
    RemoteCall call = verb(FrameKind.GET, key, offset, length, true, deadline);
    MemorySegment target = into.asSlice(at, length);
    MemorySegment shared = null;
    if (!name(call, target)) {
      shared = staging == null ? null : staging.tryTake(length);
      if (shared == null || !name(call, shared)) {
        call.brings(target, Cargo.whole(Cargo.Direction.TO_SENDER, length));
      }
    }
    return new Slice(conversation.begin(call), at, length, shared);
  }

  private long finishGet(Slice slice, MemorySegment into, long deadline) throws IOException {
    try {
      long got = value(await(slice.call, deadline));
      if (slice.shared != null) {
        MemorySegment.copy(slice.shared, 0, into, slice.at, got);
        give(slice.shared);
      }
      return got;
    } catch (IOException | RuntimeException e) {
      abandon(slice);
      throw e;
    }
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    ArrayDeque<Slice> window = new ArrayDeque<>();
    long put = 0;
    try {
      do {
        long part = Math.min(Frame.SLICE, length - put);
        window.add(startPut(key, offset + put, source, at + put, part, deadline));
        put += part;
        while (!window.isEmpty() && (window.size() == WINDOW || put == length)) {
          finishPut(window.remove(), deadline);
        }
      } while (put < length);
    } finally {
      window.forEach(this::abandon);
    }
  }

  private Slice startPut(
      long key, long offset, MemorySegment source, long at, long length, long deadline) {
    RemoteCall call = verb(FrameKind.PUT, key, offset, length, false, deadline);
    MemorySegment bytes = source.asSlice(at, length);
    MemorySegment shared = null;
    if (!name(call, bytes)) {
      shared = staging == null || length <= LEAST_SHARED ? null : staging.tryTake(length);
      if (shared != null && name(call, shared)) {
        shared.copyFrom(bytes);
      } else {
        call.takes(bytes, Cargo.whole(Cargo.Direction.TO_RECEIVER, length));
      }
    }
    return new Slice(conversation.begin(call), at, length, shared);
  }

  private void finishPut(Slice slice, long deadline) throws IOException {
    try {
      await(slice.call, deadline);
      if (slice.shared != null) {
        give(slice.shared);
      }
    } catch (IOException | RuntimeException e) {
      abandon(slice);
      throw e;
    }
  }

  /** The other side may still use its memory: that is given back only if it has answered. */
  private void abandon(Slice slice) {
    slice.call.abandon();
    if (slice.shared != null && slice.call.isAnswered()) {
      give(slice.shared);
    }
  }

  private void give(MemorySegment shared) {
    if (staging != null) {
      staging.give(shared);
    }
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    ByteBuffer body = Frame.buffer(4 * Long.BYTES);
    body.putLong(key).putLong(delta).putLong(floor).putLong(limit).flip();
    RemoteCall call =
        new RemoteCall(env, "advance", FrameKind.ADVANCE, body, false, deadline, spare);
    return value(await(conversation.begin(call), deadline));
  }

  private RemoteCall verb(
      FrameKind kind, long key, long offset, long length, boolean repeatable, long deadline) {
    return new RemoteCall(env, kind, kind, range(key, offset, length), repeatable, deadline, spare);
  }

  private static ByteBuffer range(long key, long offset, long length) {
    return Frame.buffer(3 * Long.BYTES).putLong(key).putLong(offset).putLong(length).flip();
  }

  private static long value(Message message) {
    return ((RemoteCall.Value) message).value();
  }

  @Override
  public void hint(long key, long offset, long length) {
    conversation.tell(FrameKind.HINT, range(key, offset, length));
  }

  @Override
  public void close() {
    conversation.close();
  }
}
