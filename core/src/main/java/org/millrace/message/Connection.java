package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Hub;
import org.millrace.wire.RingWire;
import org.millrace.wire.Spin;
import org.millrace.wire.Wire;

/**
 * Frames over a wire, both ways. Frames that come in are handed to a {@link Handler}; frames that
 * go out are written at once as far as there is room, the rest when there is more, in order.
 *
 * <p>How reading works: bytes are read into a buffer and taken from there, head, body, payload and
 * sum one after the other; the rest of a payload that is longer than what the buffer holds is read
 * straight to where it belongs.
 *
 * <p>Safe for use by several threads: one lock for reading, one for writing, never both. Closing
 * tells the handler once.
 */
final class Connection implements Hub.Watcher {

  /** What a connection's frames are for. Called by one thread at a time. */
  interface Handler {

    /** Where the payload of a frame belongs, whose head and body are there; null: nowhere. */
    @Nullable Sink sink(Frame frame, ByteBuffer body) throws IOException;

    /** A whole frame is there. The body is valid during this call. */
    void onFrame(Frame frame, ByteBuffer body, @Nullable Sink sink) throws IOException;

    /** Some time has passed. */
    void onTick(long nowNanos);

    /** The connection is no more. Called once. */
    void onLost(String why);
  }

  private static final int BUFFER = 64 << 10;
  private static final int DIRECT_READ = 8 << 10;

  /** So much is read before other connections of the hub have their turn. */
  private static final long TURN = 4 << 20;

  /** Frames that wait to be written, beyond which the reader counts as too slow. */
  private static final long MOST_QUEUED = 64 << 20;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  private final Env env;
  private final Hub hub;
  private final Handler handler;
  private final ReentrantLock in = new ReentrantLock();
  private final ReentrantLock out = new ReentrantLock();

  private volatile Wire wire;
  private volatile @Nullable RingWire ring;
  private volatile @Nullable String lost;
  private volatile long heardNanos;
  private volatile long saidNanos;
  private volatile long begunNanos = Env.NEVER;
  private volatile int mostBody = Frame.MOST_GREETING;

  // guarded by in
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN).flip();
  private final CRC32C sum = new CRC32C();
  private @Nullable Frame frame;
  private ByteBuffer body = NOTHING;
  private @Nullable Sink sink;
  private boolean sinkAsked;
  private int payloadLeft;
  private boolean told;
  private long whole;
  private long wholeBefore;

  // guarded by out
  private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
  private long queued;

  Connection(Env env, Hub hub, Wire wire, Handler handler) {
    this.env = env;
    this.hub = hub;
    this.wire = wire;
    this.handler = handler;
    this.heardNanos = env.nanoTime();
    this.saidNanos = heardNanos;
  }

  void start() {
    wire.attach(hub, this);
  }

  Wire wire() {
    return wire;
  }

  /** From now on the other side is known, and may send as much as the protocol allows. */
  void greeted() {
    mostBody = Frame.MOST_BODY;
  }

  /** When something last came in. */
  long heardNanos() {
    return heardNanos;
  }

  /** When something last went out. */
  long saidNanos() {
    return saidNanos;
  }

  boolean isLost() {
    return lost != null;
  }

  /** Sends a frame without a payload. */
  void send(FrameKind kind, long id, long acknowledged, ByteBuffer bytes) {
    send(new Frame(kind, 0, 0, id, acknowledged, bytes.remaining(), 0), bytes, NOTHING, () -> {});
  }

  /** Sends a frame. {@code onWritten} is called when the payload is not needed any more. */
  void send(Frame head, ByteBuffer bytes, ByteBuffer payload, Runnable onWritten) {
    Outgoing one = Outgoing.of(head, bytes, payload, wire.needsSums(), onWritten);
    boolean dead = false;
    out.lock();
    try {
      if (lost != null) {
        dead = true;
      } else {
        queue.add(one);
        queued += one.left();
        if (queue.size() == 1) { // else somebody waits for room, and will write all
          flushNow();
        }
        if (queued > MOST_QUEUED + Frame.MOST_PAYLOAD) {
          lose("the other side does not read: " + queued + " bytes wait");
        }
      }
    } finally {
      out.unlock();
    }
    if (dead) {
      onWritten.run();
    }
  }

  /** Writes what there is room for. Called with the lock for writing. */
  private void flushNow() {
    try {
      while (!queue.isEmpty()) {
        Outgoing one = queue.peek();
        int first = one.first();
        long written = wire.write(one.buffers(), first, one.buffers().length - first);
        queued -= written;
        if (!one.isWritten()) {
          if (written == 0) {
            wire.wantRoom();
            return;
          }
          continue;
        }
        saidNanos = env.nanoTime();
        queue.remove().written();
      }
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void onReady() {
    if (queued > 0) { // racy: who adds to the queue flushes, too
      out.lock();
      try {
        if (lost == null) {
          flushNow();
        }
      } finally {
        out.unlock();
      }
    }
    pump();
  }

  /** Frames go through shared memory from now on. Called by the thread that reads. */
  void share(MemorySegment memory, boolean first) {
    RingWire shared = new RingWire(wire, hub, this, memory, first);
    ring = shared;
    wire = shared;
    hub.poll(this);
  }

  @Override
  public void onBell() {
    RingWire shared = ring;
    if (shared != null) {
      in.lock();
      try {
        shared.onBell();
      } catch (IOException e) {
        lose(String.valueOf(e.getMessage()));
      } finally {
        in.unlock();
      }
    }
    onReady();
  }

  @Override
  public boolean isReady() {
    RingWire shared = ring;
    return shared != null && shared.hasBytes() && lost == null;
  }

  @Override
  public boolean onSleep() {
    RingWire shared = ring;
    if (shared == null || lost != null || !in.tryLock()) {
      return true; // who reads now lets the bell be rung when it goes
    }
    try {
      return shared.sleep();
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
      return false;
    } finally {
      in.unlock();
    }
  }

  @Override
  public void onWake() {
    RingWire shared = ring;
    if (shared != null) {
      shared.wake();
    }
  }

  /**
   * Lets a thread that waits for an answer read by itself for a short while, where that is quicker
   * than being woken.
   */
  void help(Spin spin, Pending answer) {
    RingWire shared = ring;
    if (shared == null || lost != null || !in.tryLock()) {
      return;
    }
    try {
      shared.wake();
      boolean came = spin.await(() -> isAnswered(shared, answer));
      while (!shared.sleep() && lost == null) {
        readTurn();
      }
      if (!came) {
        spin.woke();
      }
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
    } finally {
      tellIfLost();
      in.unlock();
    }
  }

  private boolean isAnswered(RingWire shared, Pending answer) throws IOException {
    if (!answer.isDone() && shared.hasBytes()) {
      readTurn();
    }
    return answer.isDone() || lost != null;
  }

  @Override
  public void onTick() {
    if (lost == null) {
      handler.onTick(env.nanoTime());
    } else {
      pump();
    }
  }

  /** Takes what has come in, unless another thread is doing that. */
  void pump() {
    if (!in.tryLock()) {
      return;
    }
    try {
      if (lost == null && readTurn()) {
        hub.submit(this::onReady);
      }
    } catch (IOException e) {
      lose(e instanceof MillraceException ? e.getMessage() : "read failed: " + e.getMessage());
    } catch (RuntimeException e) {
      lose("failed: " + e);
    } finally {
      tellIfLost();
      in.unlock();
    }
  }

  private void tellIfLost() {
    String why = lost;
    if (why != null && !told) {
      told = true;
      Sink now = sink;
      if (now != null) {
        now.drop();
      }
      handler.onLost(why);
    }
  }

  /** True if there may be more. */
  private boolean readTurn() throws IOException {
    long turn = TURN;
    while (turn > 0 && lost == null) {
      while (step()) {
        // takes all that is in the buffer
      }
      if (lost != null) {
        return false;
      }
      noteBegun();
      int got = isReadingLongPayload() ? readPayload() : readBuffer();
      if (got < 0) {
        lose("the other side has closed the connection");
        return false;
      }
      if (got == 0) {
        return false;
      }
      turn -= got;
      heardNanos = env.nanoTime();
    }
    return lost == null;
  }

  /** Notes since when the frame is under way that is not whole yet, if there is one. */
  private void noteBegun() {
    if (frame == null) {
      begunNanos = Env.NEVER;
    } else if (begunNanos == Env.NEVER || wholeBefore != whole) {
      begunNanos = heardNanos;
      wholeBefore = whole;
    }
  }

  /**
   * Whether a frame has been coming in for longer than {@code mostNanos}: an altered length makes
   * one that never becomes whole.
   */
  boolean isStuck(long nowNanos, long mostNanos) {
    long begun = begunNanos;
    return begun != Env.NEVER && nowNanos - begun > mostNanos;
  }

  private int readBuffer() throws IOException {
    buffer.compact();
    int got = wire.read(buffer);
    buffer.flip();
    return got;
  }

  private boolean isReadingLongPayload() {
    return payloadLeft > DIRECT_READ && sinkAsked && !buffer.hasRemaining();
  }

  private int readPayload() throws IOException {
    Sink to = sink;
    ByteBuffer target = to == null ? null : to.enter();
    if (to == null || target == null) {
      return readBuffer();
    }
    try {
      ByteBuffer part = target.duplicate();
      part.limit(Math.min(part.limit(), part.position() + payloadLeft));
      int got = wire.read(part);
      if (got > 0) {
        sumUp(part.duplicate().flip().position(target.position()));
        target.position(target.position() + got);
        payloadLeft -= got;
      }
      return got;
    } finally {
      to.leave();
    }
  }

  private void sumUp(ByteBuffer bytes) {
    if (wire.needsSums()) {
      sum.update(bytes);
    }
  }

  /** Takes the next thing out of the buffer; false if more must be read first. */
  private boolean step() throws IOException {
    if (lost != null) {
      return false;
    }
    Frame now = frame;
    if (now == null) {
      return stepHead();
    }
    if (body.hasRemaining()) {
      take(body, body.remaining());
      return !body.hasRemaining();
    }
    if (!sinkAsked) {
      sinkAsked = true;
      sink = now.payload() == 0 ? null : handler.sink(now, body.duplicate().flip());
    }
    if (payloadLeft > 0) {
      return stepPayload();
    }
    if (buffer.remaining() < Frame.SUM) {
      return false;
    }
    int expected = buffer.getInt();
    if (wire.needsSums() && expected != (int) sum.getValue()) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a frame was altered on its way");
    }
    Sink full = sink;
    frame = null;
    sink = null;
    whole++;
    handler.onFrame(now, body.flip(), full);
    return true;
  }

  private boolean stepHead() throws MillraceException {
    if (buffer.remaining() < Frame.HEAD) {
      return false;
    }
    sum.reset();
    sumUp(buffer.duplicate().limit(buffer.position() + Frame.HEAD));
    Frame head = Frame.get(buffer, mostBody);
    if (mostBody == Frame.MOST_GREETING && head.payload() > 0) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a payload before the greeting");
    }
    frame = head;
    body = head.body() == 0 ? NOTHING.duplicate() : Frame.buffer(head.body());
    payloadLeft = head.payload();
    sinkAsked = false;
    return true;
  }

  private boolean stepPayload() {
    if (!buffer.hasRemaining()) {
      return false;
    }
    int bytes = Math.min(payloadLeft, buffer.remaining());
    Sink to = sink;
    ByteBuffer target = to == null ? null : to.enter();
    if (to == null || target == null) {
      ByteBuffer skipped = buffer.duplicate().limit(buffer.position() + bytes);
      sumUp(skipped);
      buffer.position(buffer.position() + bytes);
    } else {
      try {
        take(target, bytes);
      } finally {
        to.leave();
      }
    }
    payloadLeft -= bytes;
    return true;
  }

  private void take(ByteBuffer target, int most) {
    int bytes = Math.min(most, buffer.remaining());
    ByteBuffer part = buffer.duplicate().limit(buffer.position() + bytes);
    sumUp(part.duplicate());
    target.put(part);
    buffer.position(buffer.position() + bytes);
  }

  /** Ends the connection; the handler is told by the thread that reads. */
  void lose(String why) {
    out.lock();
    try {
      if (lost != null) {
        return;
      }
      lost = why;
      for (Outgoing one : queue) {
        one.written();
      }
      queue.clear();
      queued = 0;
    } finally {
      out.unlock();
    }
    if (ring != null) {
      hub.unpoll(this);
    }
    wire.close();
  }
}
