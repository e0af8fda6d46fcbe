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
import org.millrace.wire.Hub;
import org.millrace.wire.RingWire;
import org.millrace.wire.Spin;
import org.millrace.wire.Wire;

/**
 * Frames over a wire, both ways. Frames that come in are handed to a {@link Handler}; frames that
 * go out are written at once as far as there is room, the rest when there is more, in order.
 *
 * <p>Safe for use by several threads: one lock for reading, one for writing, never both; nobody is
 * told anything with the lock for writing held. Closing tells the handler once.
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
  private volatile long blockedNanos;
  private volatile @Nullable Thread helper; // waits for the socket itself

  // guarded by in
  private final FrameReader reader;
  private boolean told;
  private long wholeBefore;

  // guarded by out
  private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
  private long queued;

  Connection(Env env, Hub hub, Wire wire, Handler handler) {
    this.env = env;
    this.hub = hub;
    this.wire = wire;
    this.handler = handler;
    this.reader = new FrameReader(handler);
    this.heardNanos = env.nanoTime();
    this.saidNanos = heardNanos;
  }

  void start() {
    wire.attach(hub, this);
  }

  Wire wire() {
    return wire;
  }

  /** From now on the other side is known. Called by the thread that reads. */
  void greeted() {
    reader.greeted();
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

  /** Sends a frame whose payload its sender may want back: {@link #giveBack}. */
  Outgoing lend(Frame head, ByteBuffer bytes, ByteBuffer payload) {
    return add(head, bytes, payload, () -> {});
  }

  /** Lets a frame's payload not be touched any more; what is left of it is copied. */
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
  void send(Frame head, ByteBuffer bytes, ByteBuffer payload, Runnable onWritten) {
    Outgoing _ = add(head, bytes, payload, onWritten);
  }

  private Outgoing add(Frame head, ByteBuffer bytes, ByteBuffer payload, Runnable onWritten) {
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
        if (queue.size() == 1) { // else somebody waits for room, and will write all
          blockedNanos = env.nanoTime();
          flushNow(written);
        }
        slow = queued > MOST_QUEUED;
      }
    } finally {
      out.unlock();
    }
    written.forEach(Outgoing::written);
    if (slow) {
      lose("the other side does not read what it is sent");
    }
    return one;
  }

  /** Writes what there is room for. Called with the lock for writing. */
  private void flushNow(List<Outgoing> written) {
    try {
      while (!queue.isEmpty()) {
        Outgoing one = queue.peek();
        long bytes = one.writeTo(wire::write);
        queued -= bytes;
        if (one.isWritten()) {
          saidNanos = env.nanoTime();
          blockedNanos = saidNanos;
          written.add(queue.remove());
        } else if (bytes == 0) {
          if (helper != Thread.currentThread()) { // it waits for room itself
            wire.wantRoom();
          }
          return;
        }
      }
    } catch (IOException | RuntimeException e) { // its memory was closed, for instance
      written.addAll(queue);
      queue.clear();
      hub.submit(() -> lose("write failed: " + e.getMessage()));
    }
  }

  @Override
  public void onReady() {
    flush();
    pump();
  }

  /** Writes what waits and has room now. */
  void flush() {
    if (queued > 0) { // racy: who adds to the queue flushes, too
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

  /** Takes what has come in, unless another thread is doing that. */
  private void pump() {
    if (!in.tryLock()) {
      return;
    }
    try {
      if (read() == FrameReader.Turn.MORE) {
        hub.submit(this::onReady);
      }
    } finally {
      tellIfLost();
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
        heardNanos = env.nanoTime();
        noteBegun();
      }
      if (turn == FrameReader.Turn.END) {
        lose("the other side has closed the connection");
      }
      return turn;
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      lose("failed: " + e);
    }
    return FrameReader.Turn.EMPTY;
  }

  /** Notes since when the frame is under way that is not whole yet, if there is one. */
  private void noteBegun() {
    if (!reader.isInside()) {
      begunNanos = Env.NEVER;
    } else if (begunNanos == Env.NEVER || wholeBefore != reader.whole()) {
      begunNanos = heardNanos;
      wholeBefore = reader.whole();
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

  /** Whether something has waited to be written for longer than {@code mostNanos}. */
  boolean isBlocked(long nowNanos, long mostNanos) {
    return queued > 0 && nowNanos - blockedNanos > mostNanos;
  }

  private void tellIfLost() {
    String why = lost;
    if (why != null && !told) {
      told = true;
      reader.drop();
      handler.onLost(why);
    }
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
   * Lets a thread that waits for an answer read by itself, where that is quicker than being woken.
   * Virtual threads wait for sockets by way of another thread anyway.
   */
  void help(Spin spin, Pending answer, long untilNanos) {
    RingWire shared = ring;
    Wire now = wire;
    boolean socket = shared == null && now.canAwait() && !Thread.currentThread().isVirtual();
    if ((shared == null && !socket) || lost != null || !in.tryLock()) {
      return;
    }
    helper = socket ? Thread.currentThread() : null;
    try {
      if (shared != null) {
        AnswerReader.look(this, shared, spin, answer);
      } else {
        AnswerReader.await(this, now, env, answer, untilNanos);
      }
    } catch (IOException e) {
      lose(String.valueOf(e.getMessage()));
    } finally {
      helper = null;
      tellIfLost();
      in.unlock();
    }
    if (lost != null) {
      pump(); // who lost it meanwhile could not tell
    } else if (socket && hasQueued()) {
      now.wantRoom();
    }
  }

  /** Lets the hub read again if it has left that to a thread that waited. */
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

  /** Ends the connection; the handler is told by the thread that reads. */
  void lose(String why) {
    List<Outgoing> dropped;
    out.lock();
    try {
      if (lost != null) {
        return;
      }
      lost = why;
      dropped = List.copyOf(queue);
      queue.clear();
      queued = 0;
    } finally {
      out.unlock();
    }
    dropped.forEach(Outgoing::written);
    if (ring != null) {
      hub.unpoll(this);
    }
    wire.close();
  }
}
