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
 * A request or verb on its way to another process, with all that is needed to send it again.
 *
 * <p>Bytes that come back are read straight to where they belong if that is one piece of memory
 * that any thread may touch; else they wait in memory of the transport's own, or in shared memory,
 * until somebody awaits the call, and are dealt out by that thread.
 *
 * <p>Safe for use by several threads: one lock guards the memory.
 */
final class RemoteCall implements Pending, Sink {

  /** The answer to a verb. */
  record Value(long value) implements Message {}

  /** A payload that a connection has not written yet, as far as is known here. */
  private record Lent(Connection to, Outgoing frame) {}

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  final FrameKind kind;
  final ByteBuffer body;
  final boolean repeatable;
  private final Env env;
  private final PendingReply reply;
  private final long deadlineNanos;
  private final TransferMemory spare;
  private final Staging staging;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock: what goes out, where what comes in belongs, and memory on the way
  private ByteBuffer source = NOTHING;
  private @Nullable MemorySegment held;
  private @Nullable MemorySegment staged;
  private @Nullable Payload target;
  private Cargo cargo = Cargo.NOTHING;
  private ByteBuffer landing = NOTHING;
  private @Nullable Lent lent;
  private boolean abandoned;

  private volatile boolean answered;

  // set before it is sent first
  private ByteBuffer name = NOTHING;

  /** Set before it is sent first: who reads the answer. */
  volatile @Nullable Conversation carrier;

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
      TransferMemory spare,
      Staging staging) {
    this.env = env;
    this.kind = kind;
    this.body = body;
    this.repeatable = repeatable;
    this.deadlineNanos = deadlineNanos;
    this.spare = spare;
    this.staging = staging;
    this.reply = new PendingReply(env, what);
  }

  /** Lets the payload stay where it is: the body names its place in shared memory. */
  void names(long place, long bytes) {
    name = Frame.buffer(2 * Long.BYTES).putLong(place).putLong(bytes).flip();
  }

  boolean isNamed() {
    return name.hasRemaining();
  }

  /** Lets bytes of {@code payload} go with the request. */
  void takes(Payload payload, Cargo what) {
    lock.lock();
    try {
      MemorySegment run = isOnePiece(payload.memory()) ? payload.runOf(what) : null;
      if (run != null) {
        source = run.asByteBuffer();
      } else {
        MemorySegment packed = spare.takeNow(what.bytes());
        held = packed;
        payload.pack(what, packed);
        source = packed.asSlice(0, what.bytes()).asByteBuffer();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets bytes of the answer go to {@code payload}. */
  void brings(Payload payload, Cargo what) {
    lock.lock();
    try {
      cargo = what;
      MemorySegment run = isOnePiece(payload.memory()) ? payload.runOf(what) : null;
      if (run != null) {
        landing = run.asByteBuffer();
      } else {
        MemorySegment packed = spare.takeNow(what.bytes());
        held = packed;
        target = payload;
        landing = packed.asSlice(0, what.bytes()).asByteBuffer();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the payload go by way of shared memory at {@code place}, which it gives back when the
   * other side has answered.
   */
  void stages(Payload payload, Cargo what, MemorySegment shared, long place) {
    lock.lock();
    try {
      names(place, what.size());
      staged = shared;
      if (what.direction() == Cargo.Direction.TO_RECEIVER) {
        payload.spread(what, shared);
      } else {
        cargo = what;
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
    Frame frame =
        new Frame(
            kind,
            (pulled ? Frame.PULLED : 0) | (isNamed() ? Frame.NAMED : 0),
            millisLeft(),
            id,
            acknowledged,
            words.remaining(),
            pulled ? 0 : bytes.remaining());
    sent = true;
    lend(to, frame, words, pulled ? NOTHING : bytes);
  }

  private static ByteBuffer joined(ByteBuffer first, ByteBuffer second) {
    ByteBuffer both = Frame.buffer(first.remaining() + second.remaining());
    return both.put(first.duplicate()).put(second.duplicate()).flip();
  }

  /** Sends the payload that the receiver asked for. */
  void sendCargo(Connection to, long id, long acknowledged) {
    lock.lock();
    try {
      ByteBuffer bytes = source.duplicate();
      Frame frame = new Frame(FrameKind.CARGO, 0, 0, id, acknowledged, 0, bytes.remaining());
      lend(to, frame, NOTHING, bytes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The payload stays where it is until it is written, or somebody wants its memory back. Called
   * with the lock held, so that nobody can want it meanwhile.
   */
  private void lend(Connection to, Frame frame, ByteBuffer words, ByteBuffer bytes) {
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
    if (abandoned || !landing.hasRemaining()) {
      lock.unlock();
      return null;
    }
    return landing;
  }

  @Override
  public void leave() {
    lock.unlock();
  }

  @Override
  public void drop() {
    lock.lock();
    try {
      landing.clear();
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
  public void whenDone(Runnable then) {
    reply.whenDone(then);
    Conversation by = carrier;
    if (by != null) {
      by.resume(this);
    }
  }

  @Override
  public Message await(long untilNanos) throws IOException {
    Conversation by = carrier;
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
        long came = isGet ? ((Value) message).value() : cargo.size();
        Cargo what = isGet ? Cargo.whole(Cargo.Direction.TO_SENDER, came) : cargo;
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
      staging.give(shared);
    }
    MemorySegment memory = held;
    if (memory != null) {
      held = null;
      landing = NOTHING;
      spare.give(memory);
    }
  }
}
