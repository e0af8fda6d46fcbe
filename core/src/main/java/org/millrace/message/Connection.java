package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.wire.EventLoop;
import org.millrace.wire.RingWire;
import org.millrace.wire.Spin;
import org.millrace.wire.Wire;

/**
 * Frames over a wire, in both directions. Received frames go to a {@link Handler}. Sent frames are
 * written at once as far as the wire accepts them, the rest later, in order.
 *
 * <p>Safe for use by several threads: one lock for reading and one for writing, never both. The
 * handler is never called under the lock for writing. Closing notifies the handler once.
 */
final class Connection implements EventLoop.Watcher {

  /** Receives a connection's frames. Called by one thread at a time. */
  interface Handler {

    /**
     * Where the payload of a frame goes, once its head and body have arrived; null to discard it.
     */
    @Nullable Sink sink(FrameHeader frame, ByteBuffer body) throws IOException;

    /** A whole frame has arrived. The body is valid during this call. */
    void onFrame(FrameHeader frame, ByteBuffer body, @Nullable Sink sink) throws IOException;

    /** Some time has passed. */
    void onTick(long nowNanos);

    /** The connection is lost. Called once. */
    void onLost(String reason);
  }

  /** Queued frames beyond which the receiver counts as too slow. */
  private static final long MAX_QUEUED = 64 << 20;

  private static final long LOOK_NANOS = 1_000_000;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  private final Env env;
  private final EventLoop loop;
  private final Handler handler;
  private final ReentrantLock in = new ReentrantLock();
  private final ReentrantLock out = new ReentrantLock();

  private volatile Wire wire;
  private volatile @Nullable RingWire ring;
  private volatile @Nullable String lost;
  private volatile long lastReceivedNanos;
  private volatile long lastSentNanos;
  private volatile long partialSinceNanos = Env.NEVER;
  private volatile long blockedNanos;
  private volatile @Nullable Thread helper; // waits for the socket, or the bell, itself

  // guarded by in
  private final FrameReader reader;
  private boolean handlerNotified;
  private long wholeBefore;

  // guarded by out
  private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
  private long queued;

  Connection(Env env, EventLoop loop, Wire wire, Handler handler) {
    this.env = env;
    this.loop = loop;
    this.wire = wire;
    this.handler = handler;
    this.reader = new FrameReader(handler);
    this.lastReceivedNanos = env.nanoTime();
    this.lastSentNanos = lastReceivedNanos;
  }

  void start() {
    wire.attach(loop, this);
  }

  Wire wire() {
    return wire;
  }

  /** Ends the handshake. Called by the thread that reads. */
  void endHandshake() {
    reader.endHandshake();
  }

  /** When bytes were last received. */
  long lastReceivedNanos() {
    return lastReceivedNanos;
  }

  /** When bytes were last sent. */
  long lastSentNanos() {
    return lastSentNanos;
  }

  boolean isLost() {
    return lost != null;
  }

  long nanoTime() {
    return env.nanoTime();
  }

  /** Sends a frame without a payload. */
  void send(FrameKind kind, long id, long acknowledged, ByteBuffer bytes) {
    send(
        new FrameHeader(kind, 0, 0, id, acknowledged, bytes.remaining(), 0),
        bytes,
        NOTHING,
        () -> {});
  }

  /** Sends a frame whose payload memory the sender may take back early: {@link #giveBack}. */
  Outgoing lend(FrameHeader head, ByteBuffer bytes, ByteBuffer payload) {
    return add(head, bytes, payload, () -> {});
  }

  /** Takes a frame's payload memory back; unwritten bytes are copied first. */
  void giveBack(Outgoing lent) {
    out.lock();
    try {
      if (lost == null) {
        lent.own();
      }
    } finally {
      out.unlock();
    }
  }

  /** Sends a frame. {@code onWritten} is called when the payload is not needed any more. */
  void send(FrameHeader head, ByteBuffer bytes, ByteBuffer payload, Runnable onWritten) {
    Outgoing _ = add(head, bytes, payload, onWritten);
  }

  private Outgoing add(FrameHeader head, ByteBuffer bytes, ByteBuffer payload, Runnable onWritten) {
    Outgoing one = Outgoing.of(head, bytes, payload, wire.needsSums(), onWritten);
    List<Outgoing> written = new ArrayList<>(1);
    boolean slow = false;
    out.lock();
    try {
      if (lost != null) {
        written.add(one);
      } else {
        queue.add(one);
        queued += one.left();
        if (queue.size() == 1) { // else a thread waits for room, and will write everything
          blockedNanos = env.nanoTime();
          flushNow(written);
        }
        slow = queued > MAX_QUEUED;
      }
    } finally {
      out.unlock();
    }
    written.forEach(Outgoing::written);
    if (slow) {
      lose("the peer does not read what is sent to it");
    }
    return one;
  }

  /** Writes as much as the wire takes. Called with the lock for writing. */
  private void flushNow(List<Outgoing> written) {
    try {
      while (!queue.isEmpty()) {
        Outgoing one = queue.peek();
        long bytes = one.writeTo(wire::write);
        queued -= bytes;
        if (one.isWritten()) {
          lastSentNanos = env.nanoTime();
          blockedNanos = lastSentNanos;
          written.add(queue.remove());
        } else if (bytes == 0) {
          if (ring != null || helper != Thread.currentThread()) { // it waits for room itself
            wire.wantRoom();
          }
          return;
        }
      }
    } catch (IOException | RuntimeException e) { // its memory was closed, for instance
      written.addAll(queue);
      queue.clear();
      loop.submit(() -> lose("write failed: " + e.getMessage()));
    }
  }

  @Override
  public void onReady() {
    flush();
    pump();
  }

  /** Writes what waits and has room now. */
  void flush() {
    if (queued > 0) { // racy: a thread that adds to the queue flushes, too
      List<Outgoing> written = new ArrayList<>();
      out.lock();
      try {
        if (lost == null) {
          flushNow(written);
        }
      } finally {
        out.unlock();
      }
      written.forEach(Outgoing::written);
    }
  }

  @Override
  public void onTick() {
    if (lost == null) {
      handler.onTick(env.nanoTime());
    } else {
      pump();
    }
  }

  /** Reads what has arrived, unless another thread is reading. */
  private void pump() {
    if (!in.tryLock()) {
      return;
    }
    try {
      if (read() == FrameReader.Turn.MORE) {
        loop.submit(this::onReady);
      }
    } finally {
      notifyIfLost();
      in.unlock();
    }
  }

  /** Reads for a turn. Called with the lock for reading. */
  FrameReader.Turn read() {
    if (lost != null) {
      return FrameReader.Turn.EMPTY;
    }
    try {
      FrameReader.Turn turn = reader.turn(this);
      if (reader.hasRead()) {
        lastReceivedNanos = env.nanoTime();
        noteBegun();
      }
      if (turn == FrameReader.Turn.END) {
        lose("the peer has closed the connection");
      }
      return turn;
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      lose("failed: " + e);
    }
    return FrameReader.Turn.EMPTY;
  }

  /** Notes since when the current frame is incomplete, if there is one. */
  private void noteBegun() {
    if (!reader.isInside()) {
      partialSinceNanos = Env.NEVER;
    } else if (partialSinceNanos == Env.NEVER || wholeBefore != reader.whole()) {
      partialSinceNanos = lastReceivedNanos;
      wholeBefore = reader.whole();
    }
  }

  /**
   * Whether a frame has been incomplete for longer than {@code maxNanos}: a corrupted length makes
   * one that never completes.
   */
  boolean isStuck(long nowNanos, long maxNanos) {
    long begun = partialSinceNanos;
    return begun != Env.NEVER && nowNanos - begun > maxNanos;
  }

  /** Whether something has waited to be written for longer than {@code maxNanos}. */
  boolean isBlocked(long nowNanos, long maxNanos) {
    return queued > 0 && nowNanos - blockedNanos > maxNanos;
  }

  private void notifyIfLost() {
    String reason = lost;
    if (reason != null && !handlerNotified) {
      handlerNotified = true;
      reader.drop();
      handler.onLost(reason);
    }
  }

  /** Frames go through shared memory from now on. Called by the thread that reads. */
  void share(MemorySegment memory, boolean first) {
    RingWire shared = new RingWire(wire, loop, this, memory, first);
    ring = shared;
    wire = shared;
    loop.poll(this);
  }

  @Override
  public void onBell() {
    RingWire shared = ring;
    if (shared != null) {
      if (!in.tryLock()) {
        return; // it rings on until the thread that reads has taken it, or has gone
      }
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
    return shared != null && helper == null && shared.hasBytes() && lost == null;
  }

  @Override
  public boolean onSleep() {
    RingWire shared = ring;
    if (shared == null || lost != null || !in.tryLock()) {
      return true; // the present reader lets the bell be rung when it goes
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
    if (shared != null && in.tryLock()) { // a thread that reads may sleep until the bell rings
      try {
        shared.wake();
      } finally {
        in.unlock();
      }
    }
  }

  /**
   * Lets a thread that waits for a reply read the wire itself, where that is quicker than being
   * woken. Virtual threads wait for sockets through another thread anyway.
   */
  void help(Spin spin, Pending answer, long untilNanos) {
    RingWire shared = ring;
    Wire now = wire;
    boolean waits = now.canAwait() && !Thread.currentThread().isVirtual();
    if ((shared == null && !waits) || lost != null || !in.tryLock()) {
      return;
    }
    helper = waits ? Thread.currentThread() : null;
    try {
      if (shared != null) {
        AnswerReader.look(this, shared, spin, answer, waits, untilNanos);
      } else {
        AnswerReader.await(this, now, answer, untilNanos);
      }
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
    } finally {
      helper = null;
      notifyIfLost();
      in.unlock();
    }
    if (lost != null) {
      pump(); // a loss noticed while helping was not reported yet
    } else if (waits && hasQueued()) {
      now.wantRoom();
    }
  }

  /** Lets the event loop read again after a waiting thread has read for itself. */
  void resume() {
    wire.resume();
  }

  @Override
  public boolean isHelped() {
    return helper != null;
  }

  /** Whether frames wait for room. */
  boolean hasQueued() {
    out.lock();
    try {
      return !queue.isEmpty();
    } finally {
      out.unlock();
    }
  }

  /** Waits until everything is written or lost, at most until {@code deadlineNanos}. */
  void awaitWritten(long deadlineNanos) throws InterruptedException {
    while (hasQueued() && env.nanoTime() < deadlineNanos) {
      env.sleep(LOOK_NANOS);
    }
  }

  /** Ends the connection; the reading thread notifies the handler. */
  void lose(String reason) {
    List<Outgoing> dropped;
    out.lock();
    try {
      if (lost != null) {
        return;
      }
      lost = reason;
      dropped = List.copyOf(queue);
      queue.clear();
      queued = 0;
    } finally {
      out.unlock();
    }
    dropped.forEach(Outgoing::written);
    if (ring != null) {
      loop.unpoll(this);
    }
    wire.close();
  }
}
