package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.ReplyCache.ReceivedRequest;

/**
 * Handles the requests of one session's connection: quick ones on the reading thread, the others on
 * workers when there is memory for their payload.
 *
 * <p>Called by one thread at a time; what it hands to workers is safe for them.
 */
final class RequestDispatcher {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Bytes read up to this are answered from memory of the garbage collector. */
  private static final int SMALL = 4 << 10;

  /** The stamp of a move during which a pointer was set. */
  static final long UNSURE = -1;

  /** Payloads that came unasked, of one session at a time. */
  static final int MAX_EAGER = 4 * FrameHeader.EAGER;

  private final Env env;
  private final ServerSession session;
  private final Endpoint endpoint;
  private final TransferMemory memory;
  private final TransferMemory.Share share;
  private final ActiveRequests active;
  private final AtomicInteger eager = new AtomicInteger();

  RequestDispatcher(Env env, ServerSession session) {
    this.env = env;
    this.session = session;
    this.endpoint = session.served.endpoint();
    this.memory = session.served.memory();
    this.share = session.share;
    this.active = session.served.active();
  }

  /** Where the payload of a frame belongs. */
  @Nullable Sink sink(FrameHeader frame, ByteBuffer body) throws MillraceException {
    if (frame.kind() == FrameKind.PAYLOAD) {
      return session.payloadSink(frame.id(), frame.payload());
    }
    if (frame.payload() > FrameHeader.EAGER || eager.addAndGet(frame.payload()) > MAX_EAGER) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "a payload of " + frame.payload() + " bytes arrived unrequested");
    }
    MemorySegment taken = memory.takeNow(share, frame.payload());
    int bytes = frame.payload();
    return new MemorySink(taken, bytes, () -> giveEager(taken, bytes));
  }

  /** Carries a frame out. {@code payload} is its payload, or null. */
  void onFrame(FrameHeader frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    boolean entered = active.tryEnter();
    try {
      if (entered) {
        carryOut(frame, body, payload);
      }
    } finally {
      if (entered) {
        active.exit();
      }
      if (payload != null && frame.kind() != FrameKind.PAYLOAD && !payload.isClaimed()) {
        giveEager(payload); // a copy of what was done before, or nothing that takes a payload
      }
    }
  }

  private void carryOut(FrameHeader frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    switch (frame.kind()) {
      case PAYLOAD -> onPayload(frame, payload);
      case HINT -> {
        Decoder from = new Decoder(body);
        endpoint.onHint(session.peer, from.getLong(), from.getLong(), from.getLong());
      }
      case REQUEST -> onRequest(frame, body, payload);
      case GET -> onGet(frame, body);
      case PUT -> onPut(frame, body, payload);
      case ADVANCE -> onAdvance(frame, body);
      default -> throw new MillraceException(ErrorCode.PROTOCOL, "out of order: " + frame.kind());
    }
  }

  private void onPayload(FrameHeader frame, @Nullable MemorySink payload) {
    Runnable next = session.takePayload(frame.id(), payload);
    if (next != null) {
      next.run();
    }
  }

  private void onAdvance(FrameHeader frame, ByteBuffer body) throws IOException {
    Decoder from = new Decoder(body);
    long key = from.getLong();
    long delta = from.getLong();
    long floor = from.getLong();
    long limit = from.getLong();
    from.end();
    ReceivedRequest request = session.begin(frame, true);
    if (request == null) {
      return;
    }
    try {
      long before = endpoint.stamp();
      long start = endpoint.onAdvance(session.peer, key, delta, floor, limit);
      long stamp = endpoint.stamp() == before && (before & 1) == 0 ? before : UNSURE;
      ByteBuffer moved = FrameHeader.buffer(2 * Long.BYTES).putLong(start).putLong(stamp).flip();
      session.answer(request, FrameKind.DONE, moved, NOTHING, RequestDispatcher::nothing);
    } catch (IOException | RuntimeException e) {
      session.fail(request, Answer.error(e));
    }
  }

  private void onGet(FrameHeader frame, ByteBuffer body) throws IOException {
    MemorySegment named = (frame.flags() & FrameHeader.NAMED) != 0 ? session.named(body) : null;
    Decoder from = new Decoder(body);
    long key = from.getLong();
    long offset = from.getLong();
    long length = from.getLong();
    from.end();
    if (length < 0 || length > (named == null ? FrameHeader.SLICE : named.byteSize())) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a get of " + length + " bytes");
    }
    ReceivedRequest request = session.begin(frame, false);
    if (request == null) {
      return;
    }
    boolean ready = endpoint.isReady(key, offset, length);
    if (named != null) {
      run(
          ready,
          request,
          () -> get(request, key, offset, named, length, true, RequestDispatcher::nothing),
          RequestDispatcher::nothing);
    } else if (length <= SMALL) {
      MemorySegment small = MemorySegment.ofArray(new byte[(int) length]);
      run(
          ready,
          request,
          () -> get(request, key, offset, small, length, false, RequestDispatcher::nothing),
          RequestDispatcher::nothing);
    } else {
      memory.request(
          share,
          length,
          granted -> {
            Runnable give = () -> memory.give(share, granted);
            run(
                ready,
                request,
                () -> get(request, key, offset, granted, length, false, give),
                give);
          });
    }
  }

  private void get(
      ReceivedRequest request,
      long key,
      long offset,
      MemorySegment into,
      long length,
      boolean named,
      Runnable onWritten) {
    try {
      long got = endpoint.onGet(session.peer, key, offset, into, 0, length);
      done(request, got, named ? NOTHING : into.asSlice(0, got).asByteBuffer(), onWritten);
    } catch (IOException | RuntimeException | Error e) {
      onWritten.run();
      session.fail(request, Answer.error(e));
    }
  }

  private void onPut(FrameHeader frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    MemorySegment named = (frame.flags() & FrameHeader.NAMED) != 0 ? session.named(body) : null;
    Decoder from = new Decoder(body);
    long key = from.getLong();
    long offset = from.getLong();
    long length = from.getLong();
    from.end();
    if (length < 0
        || length > (named == null ? FrameHeader.SLICE : named.byteSize())
        || (payload != null && payload.bytes() != length)) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a put of " + length + " bytes");
    }
    ReceivedRequest request = session.begin(frame, true);
    if (request == null) {
      return;
    }
    boolean ready = endpoint.isReady(key, offset, length);
    if (named != null) {
      run(
          ready,
          request,
          () -> put(request, key, offset, named, length, RequestDispatcher::nothing),
          RequestDispatcher::nothing);
    } else if (payload != null || length == 0) {
      MemorySegment bytes = payload == null ? MemorySegment.NULL : payload.claim();
      Runnable give = () -> giveEager(payload);
      run(ready, request, () -> put(request, key, offset, bytes, length, give), give);
    } else {
      pull(
          request,
          new Room(0, length, length),
          () -> endpoint.isReady(key, offset, length),
          (pulled, give) -> put(request, key, offset, pulled, length, give));
    }
  }

  private void put(
      ReceivedRequest request,
      long key,
      long offset,
      MemorySegment from,
      long length,
      Runnable after) {
    try {
      endpoint.onPut(session.peer, key, offset, from, 0, length);
      after.run();
      done(request, length, NOTHING, RequestDispatcher::nothing);
    } catch (IOException | RuntimeException | Error e) {
      after.run();
      session.fail(request, Answer.error(e));
    }
  }

  private void onRequest(FrameHeader frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    MemorySegment named = (frame.flags() & FrameHeader.NAMED) != 0 ? session.named(body) : null;
    Codec codec = session.codec();
    Message message;
    try {
      message = session.decode(body);
    } catch (MillraceException e) {
      ReceivedRequest wrong = session.begin(frame, false);
      if (wrong != null) {
        session.fail(wrong, e); // or its sender would only come again with it
      }
      return;
    }
    ReceivedRequest request = session.begin(frame, !codec.isRepeatable(message));
    if (request == null) {
      return;
    }
    boolean quick = codec.isQuick(message) || endpoint.isReady(message);
    PayloadLayout payloadLayout = codec.payloadLayout(message);
    if (named != null) {
      if (named.byteSize() != payloadLayout.size()) {
        String what =
            "names %s bytes, and speaks of %s".formatted(named.byteSize(), payloadLayout.size());
        session.fail(request, new MillraceException(ErrorCode.INVALID, what));
        return;
      }
      run(
          quick,
          request,
          () -> handle(request, message, named, PayloadLayout.NOTHING, RequestDispatcher::nothing),
          RequestDispatcher::nothing);
      return;
    }
    if (payloadLayout.size() > memory.bound() || payloadLayout.bytes() > FrameHeader.MAX_PAYLOAD) {
      String what =
          "a payload of " + payloadLayout.size() + " bytes is more than a request may have";
      session.fail(request, new MillraceException(ErrorCode.INVALID, what));
      return;
    }
    switch (payloadLayout.direction()) {
      case NONE ->
          run(
              quick,
              request,
              () ->
                  handle(
                      request,
                      message,
                      MemorySegment.NULL,
                      payloadLayout,
                      RequestDispatcher::nothing),
              RequestDispatcher::nothing);
      case TO_SENDER -> withMemory(request, message, payloadLayout, quick, _ -> {});
      case TO_RECEIVER -> {
        if (payload == null && payloadLayout.bytes() > 0) {
          boolean packed = payloadLayout.isPrefix();
          pull(
              request,
              new Room(
                  packed ? 0 : payloadLayout.size(),
                  packed ? payloadLayout.size() : payloadLayout.bytes(),
                  payloadLayout.bytes()),
              () -> endpoint.isReady(message),
              (pulled, give) -> {
                if (!packed) {
                  Payload.of(pulled, 0, payloadLayout.size())
                      .unpack(payloadLayout, pulled.asSlice(payloadLayout.size()));
                }
                handle(request, message, pulled, payloadLayout, give);
              });
        } else {
          onEager(request, message, payload, payloadLayout, quick);
        }
      }
    }
  }

  private void onEager(
      ReceivedRequest request,
      Message message,
      @Nullable MemorySink payload,
      PayloadLayout payloadLayout,
      boolean quick) {
    if (payload == null) { // nothing travels, but the message speaks of memory
      withMemory(request, message, payloadLayout, quick, _ -> {});
      return;
    }
    if (payload.bytes() != payloadLayout.bytes()) {
      String what =
          "a payload of %s bytes, not %s".formatted(payload.bytes(), payloadLayout.bytes());
      session.fail(request, new MillraceException(ErrorCode.PROTOCOL, what));
      return;
    }
    MemorySegment arrived = payload.claim();
    if (payloadLayout.isPrefix() && payloadLayout.bytes() == payloadLayout.size()) {
      MemorySegment bytes = arrived.asSlice(0, payloadLayout.bytes());
      Runnable give = () -> giveEager(payload);
      run(quick, request, () -> handle(request, message, bytes, payloadLayout, give), give);
      return;
    }
    withMemory(
        request,
        message,
        payloadLayout,
        quick,
        granted -> {
          Payload.of(granted).unpack(payloadLayout, arrived);
          giveEager(payload);
        });
  }

  /** Handles a request when there is memory for its payload, which {@code fill} fills. */
  private void withMemory(
      ReceivedRequest request,
      Message message,
      PayloadLayout payloadLayout,
      boolean quick,
      Consumer<MemorySegment> fill) {
    memory.request(
        share,
        payloadLayout.size(),
        granted -> {
          MemorySegment exact = granted.asSlice(0, payloadLayout.size());
          fill.accept(exact);
          Runnable give = () -> memory.give(share, granted);
          run(quick, request, () -> handle(request, message, exact, payloadLayout, give), give);
        });
  }

  /** What happens to a payload that was pulled; the second argument gives its memory back. */
  private interface Pulled {
    void go(MemorySegment memory, Runnable give);
  }

  /**
   * Memory for a payload that is pulled: {@code travelling} bytes come into {@code bytes}, behind
   * {@code before} more.
   */
  private record Room(long before, long bytes, long travelling) {}

  /**
   * Asks the sender for a payload when there is room for it, and goes on when it is there: on the
   * thread that reads if it is {@code quick} then.
   */
  private void pull(ReceivedRequest request, Room room, BooleanSupplier quick, Pulled then) {
    memory.request(
        share,
        room.before + room.bytes,
        granted -> {
          Runnable give = () -> memory.give(share, granted);
          Runnable go =
              () -> run(quick.getAsBoolean(), request, () -> then.go(granted, give), give);
          MemorySegment into = granted.asSlice(room.before);
          if (session.awaitPayload(request, into, room.travelling, go, give)) {
            session.tell(request, FrameKind.PULL);
          } else {
            give.run();
          }
        });
  }

  private void handle(
      ReceivedRequest request,
      Message message,
      MemorySegment payload,
      PayloadLayout payloadLayout,
      Runnable after) {
    MemorySegment exact =
        payloadLayout.size() > 0 ? payload.asSlice(0, payloadLayout.size()) : payload;
    Answer answer = new Answer(session, request, exact, payloadLayout, after);
    try {
      endpoint.onRequest(session.peer, message, Payload.of(exact), answer);
    } catch (RuntimeException | Error e) {
      answer.fail(Answer.error(e)); // or its sender would wait for ever
    }
  }

  private void done(ReceivedRequest request, long value, ByteBuffer payload, Runnable onWritten) {
    ByteBuffer body = FrameHeader.buffer(Long.BYTES).putLong(value).flip();
    session.answer(request, FrameKind.DONE, body, payload, onWritten);
  }

  /** Does it here if it is quick, else by a worker; {@code after} if it came too late. */
  private void run(boolean quick, ReceivedRequest request, Runnable work, Runnable after) {
    if (quick) {
      work.run();
      return;
    }
    session
        .served
        .workers()
        .run(
            () -> {
              if (session.isOver() || !active.tryEnter()) {
                after.run(); // its sender is told that it is lost, and may have begun anew
                return;
              }
              try {
                runInTime(request, work, after);
              } finally {
                active.exit();
              }
            });
  }

  private void runInTime(ReceivedRequest request, Runnable work, Runnable after) {
    if (env.nanoTime() > request.deadlineNanos) {
      after.run();
      String what = session.served.name() + " handled it too late";
      session.fail(request, MillraceException.of(ErrorCode.DEADLINE, what));
    } else {
      work.run();
    }
  }

  private static void nothing() {}

  private void giveEager(@Nullable MemorySink payload) {
    if (payload != null) {
      giveEager(payload.memory(), (int) payload.bytes());
    }
  }

  private void giveEager(MemorySegment taken, int bytes) {
    eager.addAndGet(-bytes);
    memory.give(share, taken);
  }
}
