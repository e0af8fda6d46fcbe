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
import org.millrace.message.Ledger.Asked;

/**
 * Carries out what comes in over one session's connection. What is quick is done by the thread that
 * reads; the rest by workers, once there is memory for its payload.
 *
 * <p>Called by one thread at a time; what it hands to workers is safe for them.
 */
final class Service {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Bytes read up to this are answered from memory of the garbage collector. */
  private static final int SMALL = 4 << 10;

  /** Payloads that came unasked, of one session at a time. */
  static final int MOST_EAGER = 4 * Frame.EAGER;

  private final Env env;
  private final ServerSession session;
  private final Endpoint endpoint;
  private final TransferMemory memory;
  private final TransferMemory.Share share;
  private final AtomicInteger eager = new AtomicInteger();

  Service(Env env, ServerSession session) {
    this.env = env;
    this.session = session;
    this.endpoint = session.served.endpoint();
    this.memory = session.served.memory();
    this.share = session.share;
  }

  /** Where the payload of a frame belongs. */
  @Nullable Sink sink(Frame frame, ByteBuffer body) throws MillraceException {
    if (frame.kind() == FrameKind.CARGO) {
      return session.cargoSink(frame.id(), frame.payload());
    }
    if (frame.payload() > Frame.EAGER || eager.addAndGet(frame.payload()) > MOST_EAGER) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "a payload of " + frame.payload() + " bytes came unasked");
    }
    MemorySegment taken = memory.takeNow(share, frame.payload());
    int bytes = frame.payload();
    return new MemorySink(taken, bytes, () -> giveEager(taken, bytes));
  }

  /** Carries a frame out. {@code payload} is its payload, or null. */
  void onFrame(Frame frame, ByteBuffer body, @Nullable MemorySink payload) throws IOException {
    try {
      carryOut(frame, body, payload);
    } finally {
      if (payload != null && frame.kind() != FrameKind.CARGO && !payload.isClaimed()) {
        giveEager(payload); // a copy of what was done before, or nothing that takes a payload
      }
    }
  }

  private void carryOut(Frame frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    switch (frame.kind()) {
      case CARGO -> onCargo(frame, payload);
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

  private void onCargo(Frame frame, @Nullable MemorySink payload) {
    Runnable next = session.takeCargo(frame.id(), payload);
    if (next != null) {
      next.run();
    }
  }

  private void onAdvance(Frame frame, ByteBuffer body) throws IOException {
    Decoder from = new Decoder(body);
    long key = from.getLong();
    long delta = from.getLong();
    long floor = from.getLong();
    long limit = from.getLong();
    from.end();
    Asked asked = session.begin(frame, true);
    if (asked == null) {
      return;
    }
    try {
      long start = endpoint.onAdvance(session.peer, key, delta, floor, limit);
      done(asked, start, NOTHING, Service::nothing);
    } catch (IOException | RuntimeException e) {
      session.fail(asked, Answer.error(e));
    }
  }

  private void onGet(Frame frame, ByteBuffer body) throws IOException {
    MemorySegment named = (frame.flags() & Frame.NAMED) != 0 ? session.named(body) : null;
    Decoder from = new Decoder(body);
    long key = from.getLong();
    long offset = from.getLong();
    long length = from.getLong();
    from.end();
    if (length < 0 || length > (named == null ? Frame.SLICE : named.byteSize())) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a get of " + length + " bytes");
    }
    Asked asked = session.begin(frame, false);
    if (asked == null) {
      return;
    }
    boolean ready = endpoint.isReady(key, offset, length);
    if (named != null) {
      run(
          ready,
          asked,
          () -> get(asked, key, offset, named, length, true, Service::nothing),
          Service::nothing);
    } else if (length <= SMALL) {
      MemorySegment small = MemorySegment.ofArray(new byte[(int) length]);
      run(
          ready,
          asked,
          () -> get(asked, key, offset, small, length, false, Service::nothing),
          Service::nothing);
    } else {
      memory.ask(
          share,
          length,
          granted -> {
            Runnable give = () -> memory.give(share, granted);
            run(ready, asked, () -> get(asked, key, offset, granted, length, false, give), give);
          });
    }
  }

  private void get(
      Asked asked,
      long key,
      long offset,
      MemorySegment into,
      long length,
      boolean named,
      Runnable onWritten) {
    try {
      long got = endpoint.onGet(session.peer, key, offset, into, 0, length);
      done(asked, got, named ? NOTHING : into.asSlice(0, got).asByteBuffer(), onWritten);
    } catch (IOException | RuntimeException | Error e) {
      onWritten.run();
      session.fail(asked, Answer.error(e));
    }
  }

  private void onPut(Frame frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    MemorySegment named = (frame.flags() & Frame.NAMED) != 0 ? session.named(body) : null;
    Decoder from = new Decoder(body);
    long key = from.getLong();
    long offset = from.getLong();
    long length = from.getLong();
    from.end();
    if (length < 0
        || length > (named == null ? Frame.SLICE : named.byteSize())
        || (payload != null && payload.bytes() != length)) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a put of " + length + " bytes");
    }
    Asked asked = session.begin(frame, true);
    if (asked == null) {
      return;
    }
    boolean ready = endpoint.isReady(key, offset, length);
    if (named != null) {
      run(
          ready,
          asked,
          () -> put(asked, key, offset, named, length, Service::nothing),
          Service::nothing);
    } else if (payload != null || length == 0) {
      MemorySegment bytes = payload == null ? MemorySegment.NULL : payload.claim();
      Runnable give = () -> giveEager(payload);
      run(ready, asked, () -> put(asked, key, offset, bytes, length, give), give);
    } else {
      pull(
          asked,
          new Room(0, length, length),
          () -> endpoint.isReady(key, offset, length),
          (pulled, give) -> put(asked, key, offset, pulled, length, give));
    }
  }

  private void put(
      Asked asked, long key, long offset, MemorySegment from, long length, Runnable after) {
    try {
      endpoint.onPut(session.peer, key, offset, from, 0, length);
      after.run();
      done(asked, length, NOTHING, Service::nothing);
    } catch (IOException | RuntimeException | Error e) {
      after.run();
      session.fail(asked, Answer.error(e));
    }
  }

  private void onRequest(Frame frame, ByteBuffer body, @Nullable MemorySink payload)
      throws IOException {
    MemorySegment named = (frame.flags() & Frame.NAMED) != 0 ? session.named(body) : null;
    Codec codec = session.codec();
    Message message;
    try {
      message = session.decode(body);
    } catch (MillraceException e) {
      Asked wrong = session.begin(frame, false);
      if (wrong != null) {
        session.fail(wrong, e); // or its sender would only come again with it
      }
      return;
    }
    Asked asked = session.begin(frame, !codec.isRepeatable(message));
    if (asked == null) {
      return;
    }
    boolean quick = codec.isQuick(message) || endpoint.isReady(message);
    Cargo cargo = codec.cargo(message);
    if (named != null) {
      if (named.byteSize() != cargo.size()) {
        String what = "names %d bytes, and speaks of %d".formatted(named.byteSize(), cargo.size());
        session.fail(asked, new MillraceException(ErrorCode.INVALID, what));
        return;
      }
      run(
          quick,
          asked,
          () -> handle(asked, message, named, Cargo.NOTHING, Service::nothing),
          Service::nothing);
      return;
    }
    if (cargo.size() > memory.bound() || cargo.bytes() > Frame.MOST_PAYLOAD) {
      String what = "a payload of " + cargo.size() + " bytes is more than a request may have";
      session.fail(asked, new MillraceException(ErrorCode.INVALID, what));
      return;
    }
    switch (cargo.direction()) {
      case NONE ->
          run(
              quick,
              asked,
              () -> handle(asked, message, MemorySegment.NULL, cargo, Service::nothing),
              Service::nothing);
      case TO_SENDER -> withMemory(asked, message, cargo, quick, _ -> {});
      case TO_RECEIVER -> {
        if (payload == null && cargo.bytes() > 0) {
          boolean packed = cargo.isPrefix();
          pull(
              asked,
              new Room(
                  packed ? 0 : cargo.size(), packed ? cargo.size() : cargo.bytes(), cargo.bytes()),
              () -> endpoint.isReady(message),
              (pulled, give) -> {
                if (!packed) {
                  Payload.of(pulled, 0, cargo.size()).unpack(cargo, pulled.asSlice(cargo.size()));
                }
                handle(asked, message, pulled, cargo, give);
              });
        } else {
          onEager(asked, message, payload, cargo, quick);
        }
      }
    }
  }

  private void onEager(
      Asked asked, Message message, @Nullable MemorySink payload, Cargo cargo, boolean quick) {
    if (payload == null) { // nothing travels, but the message speaks of memory
      withMemory(asked, message, cargo, quick, _ -> {});
      return;
    }
    if (payload.bytes() != cargo.bytes()) {
      String what = "a payload of %d bytes, not %d".formatted(payload.bytes(), cargo.bytes());
      session.fail(asked, new MillraceException(ErrorCode.PROTOCOL, what));
      return;
    }
    MemorySegment came = payload.claim();
    if (cargo.isPrefix() && cargo.bytes() == cargo.size()) {
      MemorySegment bytes = came.asSlice(0, cargo.bytes());
      Runnable give = () -> giveEager(payload);
      run(quick, asked, () -> handle(asked, message, bytes, cargo, give), give);
      return;
    }
    withMemory(
        asked,
        message,
        cargo,
        quick,
        granted -> {
          Payload.of(granted).unpack(cargo, came);
          giveEager(payload);
        });
  }

  /** Handles a request when there is memory for its payload, which {@code fill} fills. */
  private void withMemory(
      Asked asked, Message message, Cargo cargo, boolean quick, Consumer<MemorySegment> fill) {
    memory.ask(
        share,
        cargo.size(),
        granted -> {
          MemorySegment exact = granted.asSlice(0, cargo.size());
          fill.accept(exact);
          Runnable give = () -> memory.give(share, granted);
          run(quick, asked, () -> handle(asked, message, exact, cargo, give), give);
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
  private void pull(Asked asked, Room room, BooleanSupplier quick, Pulled then) {
    memory.ask(
        share,
        room.before + room.bytes,
        granted -> {
          Runnable give = () -> memory.give(share, granted);
          Runnable go = () -> run(quick.getAsBoolean(), asked, () -> then.go(granted, give), give);
          MemorySegment into = granted.asSlice(room.before);
          if (session.awaitCargo(asked, into, room.travelling, go, give)) {
            session.tell(asked, FrameKind.PULL);
          } else {
            give.run();
          }
        });
  }

  private void handle(
      Asked asked, Message message, MemorySegment payload, Cargo cargo, Runnable after) {
    MemorySegment exact = cargo.size() > 0 ? payload.asSlice(0, cargo.size()) : payload;
    Answer answer = new Answer(session, asked, exact, cargo, after);
    try {
      endpoint.onRequest(session.peer, message, Payload.of(exact), answer);
    } catch (RuntimeException | Error e) {
      answer.fail(Answer.error(e)); // or its sender would wait for ever
    }
  }

  private void done(Asked asked, long value, ByteBuffer payload, Runnable onWritten) {
    ByteBuffer body = Frame.buffer(Long.BYTES).putLong(value).flip();
    session.answer(asked, FrameKind.DONE, body, payload, onWritten);
  }

  /** Does it here if it is quick, else by a worker; {@code after} if it came too late. */
  private void run(boolean quick, Asked asked, Runnable work, Runnable after) {
    if (quick) {
      work.run();
      return;
    }
    session
        .served
        .workers()
        .run(
            () -> {
              if (session.isOver()) {
                after.run(); // its sender was told that it is lost, and may have begun anew
              } else if (env.nanoTime() > asked.deadlineNanos) {
                after.run();
                String what = session.served.name() + " came to it too late";
                session.fail(asked, MillraceException.of(ErrorCode.DEADLINE, what));
              } else {
                work.run();
              }
            });
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
