package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Pool;

/**
 * A link to an endpoint in another process. Everything that transfers between processes need is
 * here and nowhere else:
 *
 * <ul>
 *   <li>splitting: long gets and puts are several short ones, requests with a large payload are
 *       several with a part of it each ({@link SplitCall});
 *   <li>the window: a few of those are under way at a time;
 *   <li>staging: payloads that lie in shared memory are named instead of sent, and others are put
 *       there where that pays; the rest goes in frames.
 * </ul>
 *
 * <p>Safe for use by several threads.
 */
final class RemoteLink implements Link {

  /** Slices of a long get or put that are under way at a time. */
  private static final int SLICES = 6;

  /** Slices of a put that are sent before the receiver requests them. */
  private static final int UNSOLICITED = RequestDispatcher.MAX_EAGER / FrameHeader.EAGER;

  /**
   * How requests with a large payload are divided, and how many parts are under way at a time.
   * Decisions 0042 and 0076 say why.
   */
  private record Parts(long bytes, int underWay) {

    /** Little of the staging that all links of a process have together. */
    static final Parts SHARED = new Parts(512 << 10, 2);

    /**
     * As large as a payload may be: few are handed from thread to thread, and one is on its way
     * while the next is handed on.
     */
    static final Parts SENT = new Parts(FrameHeader.MAX_PAYLOAD, 2);
  }

  /** Shorter payloads are quicker as part of their frames. */
  private static final int MIN_SHARED = 4 << 10;

  /** The largest request, beside the name of its payload. */
  private static final int MAX_BODY = FrameHeader.MAX_BODY - 64;

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final ClientSession session;
  private final TransferMemory transferMemory;
  private final SharedBuffers sharedBuffers;
  private final Parts parts;
  private final @Nullable MappedSlabs reached;

  RemoteLink(
      Env env,
      Codec codec,
      ClientSession session,
      TransferMemory transferMemory,
      SharedBuffers sharedBuffers,
      HostMemory host) {
    this.env = env;
    this.codec = codec;
    this.session = session;
    this.transferMemory = transferMemory;
    this.sharedBuffers = session.isShared() ? sharedBuffers : SharedBuffers.NONE;
    this.parts = session.isShared() ? Parts.SHARED : Parts.SENT;
    this.reached = session.isSameHost() && !host.process().isEmpty() ? new MappedSlabs(host) : null;
  }

  @Override
  public @Nullable MappedSlabs reached() {
    return reached;
  }

  @Override
  public boolean isBroken() {
    return session.broken() != null;
  }

  @Override
  public boolean isConnected() {
    return session.isConnected();
  }

  @Override
  public long maxPayloadBytes() {
    return FrameHeader.MAX_PAYLOAD;
  }

  @Override
  public Pending start(Message request, Payload payload) {
    PayloadLayout payloadLayout = codec.payloadLayout(request);
    if (payloadLayout.direction() != PayloadLayout.Direction.NONE
        && payload.bytes() != payloadLayout.size()) {
      throw new IllegalArgumentException(
          "a payload of %s bytes, the request speaks of %s: %s"
              .formatted(payload.bytes(), payloadLayout.size(), request));
    }
    if (payloadLayout.size() <= parts.bytes || codec.part(request, 0, parts.bytes) == null) {
      RemoteCall only = start(request, payload, payloadLayout, Env.NEVER);
      session.resume(only); // no thread need wait for it
      return only;
    }
    return new SplitCall(
        (from, to, anyhow) -> startPart(request, payload, from, to, anyhow),
        payloadLayout.size(),
        parts.bytes,
        payloadLayout.isOrdered() ? 1 : parts.underWay);
  }

  private @Nullable RemoteCall startPart(
      Message request, Payload payload, long from, long to, boolean anyhow) {
    Message part = Objects.requireNonNull(codec.part(request, from, to), "can be divided");
    PayloadLayout payloadLayout = codec.payloadLayout(part);
    if (!anyhow && payloadLayout.bytes() == 0) {
      return null;
    }
    RemoteCall call = start(part, payload.part(from, to), payloadLayout, Env.NEVER);
    session.resume(call);
    return call;
  }

  @Override
  public Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    if (payload.byteSize() == 0) {
      RemoteCall only = start(request, Payload.NONE, PayloadLayout.NOTHING, deadlineNanos);
      return await(only, deadlineNanos);
    }
    return await(start(request, Payload.of(payload)), deadlineNanos);
  }

  private RemoteCall start(
      Message request, Payload payload, PayloadLayout payloadLayout, long deadlineNanos) {
    Encoder body = new Encoder();
    codec.encode(request, body);
    RemoteCall call =
        new RemoteCall(
            env,
            request,
            FrameKind.REQUEST,
            body.written(),
            codec.isRepeatable(request),
            deadlineNanos,
            transferMemory,
            sharedBuffers);
    if (body.size() > MAX_BODY) {
      call.onFailure(
          new MillraceException(
              ErrorCode.REFUSED,
              "the request to %2$s has %1$s bytes, at most %3$s can be sent: a list of too many runs?"
                  .formatted(body.size(), session.name(), FrameHeader.MAX_BODY)));
      return call;
    }
    load(call, payload, payloadLayout);
    return session.begin(call);
  }

  /** Says how the payload gets to the other side: where it lies, by shared memory, or in frames. */
  private void load(RemoteCall call, Payload payload, PayloadLayout payloadLayout) {
    if (payloadLayout.direction() == PayloadLayout.Direction.NONE || name(call, payload)) {
      return;
    }
    MemorySegment shared =
        payloadLayout.size() < MIN_SHARED ? null : sharedBuffers.tryTake(payloadLayout.size());
    if (shared != null) {
      call.stages(payload, payloadLayout, shared, sharedBuffers.locate(shared));
    } else if (payloadLayout.direction() == PayloadLayout.Direction.TO_RECEIVER) {
      call.takes(payload, payloadLayout);
    } else {
      call.brings(payload, payloadLayout);
    }
  }

  /** Names the payload's place in shared memory, if it lies there in one piece. */
  private boolean name(RemoteCall call, Payload payload) {
    if (!payload.isPacked() || payload.bytes() == 0) {
      return false;
    }
    long place = sharedBuffers.locate(payload.packed());
    if (place == Pool.NOWHERE) {
      return false;
    }
    call.names(place, payload.bytes());
    return true;
  }

  private Message await(Pending call, long deadlineNanos) throws IOException {
    try {
      return call.await(deadlineNanos);
    } catch (DeadlineException e) {
      call.abandon();
      throw new DeadlineException(session.name() + ": " + e.getMessage());
    } catch (IOException e) {
      call.abandon(); // the thread that reads may still be filling its memory
      throw e;
    }
  }

  /** A get or put of a part. */
  private record Slice(RemoteCall call, long length) {}

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    if (length <= MIN_SHARED) {
      RemoteCall call = verb(FrameKind.GET, key, offset, length, deadline);
      call.brings(
          Payload.of(into, at, length),
          PayloadLayout.whole(PayloadLayout.Direction.TO_SENDER, length));
      return value(await(session.begin(call), deadline));
    }
    ArrayDeque<Slice> window = new ArrayDeque<>();
    long requested = 0;
    long total = 0;
    boolean whole = true;
    try {
      while (requested < length || !window.isEmpty()) {
        while (window.size() < SLICES && requested < length) {
          long part = Math.min(FrameHeader.SLICE, length - requested);
          window.add(
              startSlice(
                  FrameKind.GET, key, offset + requested, into, at + requested, part, deadline));
          requested += part;
        }
        Slice slice = window.remove();
        long got = value(await(slice.call, deadline));
        if (whole) {
          total += got;
          whole = got == slice.length;
        }
      }
      return total;
    } finally {
      window.forEach(slice -> slice.call.abandon());
    }
  }

  private Slice startSlice(
      FrameKind kind,
      long key,
      long offset,
      MemorySegment memory,
      long at,
      long length,
      long deadline) {
    RemoteCall call = verb(kind, key, offset, length, deadline);
    PayloadLayout.Direction direction =
        kind == FrameKind.GET
            ? PayloadLayout.Direction.TO_SENDER
            : PayloadLayout.Direction.TO_RECEIVER;
    load(call, Payload.of(memory, at, length), PayloadLayout.whole(direction, length));
    return new Slice(session.begin(call), length);
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    ArrayDeque<Slice> window = new ArrayDeque<>();
    long requested = length - unsolicited(length);
    long put = 0;
    try {
      do {
        long part =
            put < requested
                ? Math.min(FrameHeader.SLICE, requested - put)
                : Math.min(FrameHeader.EAGER, length - put);
        window.add(startSlice(FrameKind.PUT, key, offset + put, source, at + put, part, deadline));
        put += part;
        int max = put < requested ? SLICES : SLICES + UNSOLICITED;
        while (!window.isEmpty() && (window.size() >= max || put == length)) {
          await(window.remove().call, deadline);
        }
      } while (put < length);
    } finally {
      window.forEach(slice -> slice.call.abandon());
    }
  }

  /**
   * How many of the last bytes of a put through a socket are sent unsolicited: they travel while
   * the receiver requests the slices before them.
   */
  private long unsolicited(long length) {
    return parts == Parts.SENT ? Math.min(length, (long) UNSOLICITED * FrameHeader.EAGER) : 0;
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    ByteBuffer body = FrameHeader.buffer(4 * Long.BYTES);
    body.putLong(key).putLong(delta).putLong(floor).putLong(limit).flip();
    RemoteCall call =
        new RemoteCall(
            env,
            new RemoteCall.Advance(key, delta, floor, limit),
            FrameKind.ADVANCE,
            body,
            false,
            deadline,
            transferMemory,
            sharedBuffers);
    return value(await(session.begin(call), deadline));
  }

  private RemoteCall verb(FrameKind kind, long key, long offset, long length, long deadline) {
    ByteBuffer range = range(key, offset, length);
    boolean repeatable = kind == FrameKind.GET;
    return new RemoteCall(
        env, kind, kind, range, repeatable, deadline, transferMemory, sharedBuffers);
  }

  private static ByteBuffer range(long key, long offset, long length) {
    return FrameHeader.buffer(3 * Long.BYTES).putLong(key).putLong(offset).putLong(length).flip();
  }

  private static long value(Message message) {
    return ((RemoteCall.Value) message).value();
  }

  @Override
  public void hint(long key, long offset, long length) {
    session.tell(FrameKind.HINT, range(key, offset, length));
  }

  @Override
  public void close() {
    session.close();
  }
}
