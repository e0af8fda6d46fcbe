package org.millrace.sim.hunt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.wire.EventLoop;
import org.millrace.wire.Identity;
import org.millrace.wire.Wire;

/**
 * One end of a connection of a {@link SimNet}. What comes in is kept here, each part with the
 * instant at which it arrives. Touched as the net says.
 */
final class SimWire implements Wire {

  private static final int MAX_UNDER_WAY = 256 << 10;
  private static final Identity USER =
      new Identity(System.getProperty("user.name", "unknown"), List.of());

  private record Part(ByteBuffer bytes, long atNanos) {}

  // constant after construction
  private final SimNet net;
  private final ProcessEnv process;

  private final ArrayDeque<Part> coming = new ArrayDeque<>();
  private @Nullable SimWire other;
  private @Nullable SimEventLoop loop;
  private EventLoop.@Nullable Watcher watcher;
  private int underWay;
  private long lastArrival;
  private long endsNanos = Env.NEVER;
  private int flip = -1;
  private boolean closed;
  private boolean broken;
  private boolean wantsRoom;
  private boolean closeSeen;

  SimWire(SimNet net, ProcessEnv process) {
    this.net = net;
    this.process = process;
  }

  void join(SimWire end) {
    other = end;
  }

  ProcessEnv process() {
    return process;
  }

  private SimWire other() {
    SimWire end = other;
    if (end == null) {
      throw new IllegalStateException("a wire with one end");
    }
    return end;
  }

  /** Whether what arrives here comes from that process. */
  boolean isFrom(ProcessEnv sender) {
    return other().process == sender;
  }

  /** The two processes, for people. */
  String ends() {
    return process.name() + " and " + other().process.name();
  }

  boolean isOver() {
    return closed && other().closed;
  }

  @Override
  public void attach(EventLoop newLoop, EventLoop.Watcher newWatcher) {
    loop = (SimEventLoop) newLoop;
    watcher = newWatcher;
    loop.watch(this);
  }

  @Override
  public Identity identity() {
    return USER;
  }

  @Override
  public boolean isNeighbour() {
    return net.isNear();
  }

  @Override
  public boolean needsSums() {
    return true;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    checkWhole();
    int got = 0;
    while (into.hasRemaining() && !coming.isEmpty() && coming.getFirst().atNanos <= net.now()) {
      ByteBuffer bytes = coming.getFirst().bytes;
      int count = Math.min(bytes.remaining(), into.remaining());
      into.put(bytes.slice().limit(count));
      bytes.position(bytes.position() + count);
      got += count;
      if (!bytes.hasRemaining()) {
        coming.remove();
      }
    }
    underWay -= got;
    if (got > 0) {
      other().wake(); // there is room again
      return got;
    }
    return coming.isEmpty() && endsNanos <= net.now() ? -1 : 0;
  }

  private void checkWhole() throws IOException {
    if (broken || closed) {
      throw new IOException(broken ? "connection reset" : "closed");
    }
  }

  @Override
  public long write(ByteBuffer[] from, int first, int count) throws IOException {
    checkWhole();
    SimWire end = other();
    long written = 0;
    for (int i = first; i < first + count; i++) {
      int most = Math.min(from[i].remaining(), MAX_UNDER_WAY - end.underWay);
      if (most > 0) {
        end.take(from[i], most);
        written += most;
      }
    }
    return written;
  }

  /** Bytes set out for this end. */
  private void take(ByteBuffer from, int count) {
    if (closed) {
      from.position(from.position() + count);
      return; // nobody reads it
    }
    ByteBuffer copy = ByteBuffer.allocate(count);
    copy.put(from.slice().limit(count)).flip();
    from.position(from.position() + count);
    lastArrival = Math.max(lastArrival, net.now() + net.delay());
    net.setsOut(lastArrival);
    coming.add(new Part(copy, lastArrival));
    underWay += count;
    if (flip >= 0) {
      int at = flip / 8 % count;
      copy.put(at, (byte) (copy.get(at) ^ 1 << flip % 8));
      flip = -1;
    }
    wake();
  }

  @Override
  public void wantRoom() {
    wantsRoom = true;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      coming.clear();
      SimWire end = other();
      end.endsNanos = Math.max(end.lastArrival, net.now() + net.delay());
      end.wake();
      wake();
    }
  }

  /** Both ends notice at once; what was under way is lost. */
  void reset() {
    cut();
    other().cut();
  }

  private void cut() {
    broken = true;
    closed = true;
    coming.clear();
    wake();
  }

  /** What arrives here arrives later from now on. */
  void stall(long nanos) {
    lastArrival = Math.max(lastArrival, net.now()) + nanos;
    ArrayDeque<Part> later = new ArrayDeque<>();
    coming.forEach(part -> later.add(new Part(part.bytes, part.atNanos + nanos)));
    coming.clear();
    coming.addAll(later);
  }

  /** A bit of what sets out next for this end arrives wrong. */
  void alter(int bit) {
    flip = bit;
  }

  private void wake() {
    SimEventLoop now = loop;
    if (now != null) {
      now.wake();
    }
  }

  /** When its owner has to look: now, at an instant, or never. */
  long dueNanos() {
    if (closed) {
      return closeSeen ? Env.NEVER : 0;
    }
    if (wantsRoom && other().underWay < MAX_UNDER_WAY) {
      return 0;
    }
    return coming.isEmpty() ? endsNanos : coming.getFirst().atNanos;
  }

  /** Its owner looks now. */
  void looks() {
    wantsRoom = false;
    closeSeen = closed;
  }

  EventLoop.Watcher watcher() {
    EventLoop.Watcher now = watcher;
    if (now == null) {
      throw new IllegalStateException("no event loop watches this wire");
    }
    return now;
  }
}
