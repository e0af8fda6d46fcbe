package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;

/**
 * A request or one-sided operation that was sent to another process, with everything needed to send
 * it again.
 *
 * <p>Returned bytes are read straight into their target if it is contiguous memory that any thread
 * may access. Otherwise they wait in memory of the transport or in shared memory until a thread
 * awaits the call; that thread unpacks them.
 *
 * <p>Safe for use by several threads: one lock guards the memory.
 */
final class RemoteCall implements Pending, Sink {

  /** The reply to a one-sided operation. */
  record Value(long value) implements Message {}

  /** What a shared pointer is asked to do; the name of such a call. */
  record Advance(long key, long delta, long floor, long limit) {}

  /** A payload that a connection has not written yet, as far as is known here. */
  private record Lent(Connection to, Outgoing frame) {}

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  final FrameKind kind;
  final ByteBuffer body;
  final boolean repeatable;
  final Object what;
  private final Env env;
  private final PendingReply reply;
  private final long deadlineNanos;
  private final TransferMemory transferMemory;
  private final SharedBuffers sharedBuffers;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock: what goes out, where what comes in belongs, and memory on the way
  private ByteBuffer source = NOTHING;
  private @Nullable MemorySegment held;
  private @Nullable MemorySegment staged;
  private @Nullable Payload target;
  private PayloadLayout payloadLayout = PayloadLayout.NOTHING;
  private ByteBuffer receiveBuffer = NOTHING;
  private @Nullable Lent lent;
  private boolean abandoned;

  private volatile boolean answered;

  // set before it is sent first
  private ByteBuffer name = NOTHING;

  /** The session that reads the reply. Set before the call is first sent. */
  volatile @Nullable ClientSession carrier;

  /** Set by the link before it is sent first: how much of a payload may go with the request. */
  int eagerBytes;

  /** Set by the link: whether it was ever handed to a connection. */
  volatile boolean sent;

  RemoteCall(
      Env env,
      Object what,
      FrameKind kind,
      ByteBuffer body,
      boolean repeatable,
      long deadlineNanos,
      TransferMemory transferMemory,
      SharedBuffers sharedBuffers) {
    this.env = env;
    this.kind = kind;
    this.body = body;
    this.repeatable = repeatable;
    this.what = what;
    this.deadlineNanos = deadlineNanos;
    this.transferMemory = transferMemory;
    this.sharedBuffers = sharedBuffers;
    this.reply = new PendingReply(env, what);
  }

  /** Lets the payload stay where it is: the body names its place in shared memory. */
  void names(long place, long bytes) {
    name = FrameHeader.buffer(2 * Long.BYTES).putLong(place).putLong(bytes).flip();
  }

  boolean isNamed() {
    return name.hasRemaining();
  }

  /** Lets bytes of {@code payload} go with the request. */
  void takes(Payload payload, PayloadLayout what) {
    lock.lock();
    try {
      MemorySegment run = isOnePiece(payload.memory()) ? payload.runOf(what) : null;
      if (run != null) {
        source = run.asByteBuffer();
      } else {
        MemorySegment packed = transferMemory.takeNow(what.bytes());
        held = packed;
        payload.pack(what, packed);
        source = packed.asSlice(0, what.bytes()).asByteBuffer();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets bytes of the answer go to {@code payload}. */
  void brings(Payload payload, PayloadLayout what) {
    lock.lock();
    try {
      payloadLayout = what;
      MemorySegment run = isOnePiece(payload.memory()) ? payload.runOf(what) : null;
      if (run != null) {
        receiveBuffer = run.asByteBuffer();
      } else {
        MemorySegment packed = transferMemory.takeNow(what.bytes());
        held = packed;
        target = payload;
        receiveBuffer = packed.asSlice(0, what.bytes()).asByteBuffer();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the payload go by way of shared memory at {@code place}, which it gives back when the
   * other side has answered.
   */
  void stages(Payload payload, PayloadLayout what, MemorySegment shared, long place) {
    lock.lock();
    try {
      names(place, what.size());
      staged = shared;
      if (what.direction() == PayloadLayout.Direction.TO_RECEIVER) {
        payload.spread(what, shared);
      } else {
        payloadLayout = what;
        target = payload;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether any thread may fill or empty it as bytes. */
  private static boolean isOnePiece(MemorySegment memory) {
    return memory.isAccessibleBy(Env.ANY_THREAD)
        && (memory.isNative() || memory.heapBase().orElse(null) instanceof byte[]);
  }

  /** Bytes that go to the receiver. */
  int payloadBytes() {
    lock.lock();
    try {
      return source.remaining();
    } finally {
      lock.unlock();
    }
  }

  /** Sends the request, or sends it again. */
  void send(Connection to, long id, long acknowledged) {
    lock.lock();
    try {
      sendLocked(to, id, acknowledged);
    } finally {
      lock.unlock();
    }
  }

  private void sendLocked(Connection to, long id, long acknowledged) {
    ByteBuffer bytes = source.duplicate();
    boolean pulled = bytes.remaining() > eagerBytes;
    ByteBuffer words = isNamed() ? joined(body, name) : body;
    FrameHeader frame =
        new FrameHeader(
            kind,
            (pulled ? FrameHeader.PULLED : 0) | (isNamed() ? FrameHeader.NAMED : 0),
            millisLeft(),
            id,
            acknowledged,
            words.remaining(),
            pulled ? 0 : bytes.remaining());
    sent = true;
    lend(to, frame, words, pulled ? NOTHING : bytes);
  }

  private static ByteBuffer joined(ByteBuffer first, ByteBuffer second) {
    ByteBuffer both = FrameHeader.buffer(first.remaining() + second.remaining());
    return both.put(first.duplicate()).put(second.duplicate()).flip();
  }

  /** Sends the payload that the receiver asked for. */
  void sendPayload(Connection to, long id, long acknowledged) {
    lock.lock();
    try {
      ByteBuffer bytes = source.duplicate();
      FrameHeader frame =
          new FrameHeader(FrameKind.PAYLOAD, 0, 0, id, acknowledged, 0, bytes.remaining());
      lend(to, frame, NOTHING, bytes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The payload stays in place until it is written or its memory is taken back. Called with the
   * lock held, so that it is not taken back in between.
   */
  private void lend(Connection to, FrameHeader frame, ByteBuffer words, ByteBuffer bytes) {
    Outgoing one = to.lend(frame, words, bytes);
    if (bytes.hasRemaining()) {
      lent = new Lent(to, one);
    }
  }

  /** From now on no connection touches the payload. Called with the lock held. */
  private void takeBack() {
    Lent last = lent;
    lent = null;
    if (last != null) {
      last.to.giveBack(last.frame);
    }
  }

  private int millisLeft() {
    if (deadlineNanos == Env.NEVER) {
      return 0;
    }
    long millis = (deadlineNanos - env.nanoTime()) / 1_000_000;
    return Math.clamp(millis, 1, Integer.MAX_VALUE);
  }

  @Override
  public @Nullable ByteBuffer enter() {
    lock.lock();
    if (abandoned || !receiveBuffer.hasRemaining()) {
      lock.unlock();
      return null;
    }
    return receiveBuffer;
  }

  @Override
  public void leave() {
    lock.unlock();
  }

  @Override
  public void drop() {
    lock.lock();
    try {
      receiveBuffer.clear();
    } finally {
      lock.unlock();
    }
  }

  /** The answer is there. */
  void onAnswer(Message message) {
    answered = true;
    reply.reply(message);
    onLate();
  }

  /** The other side answered that it failed. */
  void onRefusal(MillraceException error) {
    answered = true;
    reply.fail(error);
    onLate();
  }

  /** Gives memory back that an abandoned call had to leave to the other side. */
  private void onLate() {
    lock.lock();
    try {
      if (abandoned) {
        giveBack();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isAnswered() {
    return answered;
  }

  /** It failed on this side of the connection. */
  void onFailure(MillraceException error) {
    reply.fail(error);
  }

  @Override
  public boolean isDone() {
    return reply.isDone();
  }

  @Override
  public boolean tellsWhenDone() {
    return true;
  }

  @Override
  public void whenDone(Runnable then) {
    reply.whenDone(then);
    ClientSession by = carrier;
    if (by != null) {
      by.resume(this);
    }
  }

  @Override
  public Message await(long untilNanos) throws IOException {
    ClientSession by = carrier;
    if (by != null && !reply.isDone()) {
      by.help(this, untilNanos);
    }
    try {
      Message message = reply.await(untilNanos);
      settle(message);
      return message;
    } catch (IOException e) {
      if (reply.isDone()) {
        settle(null);
      }
      throw e;
    }
  }

  /** Brings bytes that came to where they belong, unless it failed, and gives memory back. */
  private void settle(@Nullable Message message) {
    lock.lock();
    try {
      Payload to = target;
      target = null;
      if (to != null && message != null) {
        boolean isGet = kind == FrameKind.GET && message instanceof Value;
        long received = isGet ? ((Value) message).value() : payloadLayout.size();
        PayloadLayout what =
            isGet
                ? PayloadLayout.whole(PayloadLayout.Direction.TO_SENDER, received)
                : payloadLayout;
        if (staged != null) {
          to.collect(what, staged);
        } else if (held != null) {
          to.unpack(what, held);
        }
      }
      giveBack();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void abandon() {
    lock.lock();
    try {
      abandoned = true;
      target = null;
      if (reply.isDone()) {
        giveBack();
      }
      if (held == null && source.hasRemaining() && !reply.isDone()) {
        takeBack();
        byte[] copy = new byte[source.remaining()]; // it may still have to be sent
        MemorySegment.copy(
            MemorySegment.ofBuffer(source), ValueLayout.JAVA_BYTE, 0, copy, 0, copy.length);
        source = ByteBuffer.wrap(copy);
      }
    } finally {
      lock.unlock();
    }
  }

  private void giveBack() {
    takeBack();
    source = NOTHING;
    MemorySegment shared = staged;
    if (shared != null && answered) { // else the other side may still touch it
      staged = null;
      sharedBuffers.give(shared);
    }
    MemorySegment memory = held;
    if (memory != null) {
      held = null;
      receiveBuffer = NOTHING;
      transferMemory.give(memory);
    }
  }
}
