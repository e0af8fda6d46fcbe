package org.millrace.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.millrace.error.MillraceException;

/**
 * A {@link Wire} between processes of one host. Bytes go through two rings in shared memory. The
 * socket wakes the side that sleeps, and shows when the other side is gone.
 */
public final class RingWire implements Wire {

  /** Bytes that one direction holds. */
  private static final int CAPACITY = 64 << 10;

  /** A writer that waits for room waits for this much. */
  private static final int ROOM = CAPACITY / 4;

  private static final ByteBuffer BELL = ByteBuffer.allocate(1).asReadOnlyBuffer();

  // constant after construction
  private final Wire socket;
  private final EventLoop loop;
  private final EventLoop.Watcher watcher;
  private final RingReader reader;
  private final RingWriter writer;

  // owned by the thread that reads
  private final ByteBuffer bells = ByteBuffer.allocate(64);

  private volatile boolean ended;

  /**
   * A wire in place of a socket that {@code loop} watches already.
   *
   * @param first whether this side made the memory
   */
  public RingWire(
      Wire socket, EventLoop loop, EventLoop.Watcher watcher, MemorySegment memory, boolean first) {
    this.socket = socket;
    this.loop = loop;
    this.watcher = watcher;
    long half = Ring.bytesFor(CAPACITY);
    MemorySegment there = memory.asSlice(0, half);
    MemorySegment back = memory.asSlice(half, half);
    this.writer = new RingWriter(first ? there : back);
    this.reader = new RingReader(first ? back : there);
  }

  /** How much memory two rings take. */
  public static long bytes() {
    return 2 * Ring.bytesFor(CAPACITY);
  }

  @Override
  public void attach(EventLoop newLoop, EventLoop.Watcher newWatcher) {
    throw new IllegalStateException("its socket is watched already");
  }

  @Override
  public Identity identity() {
    return socket.identity();
  }

  @Override
  public boolean isNeighbour() {
    return true;
  }

  @Override
  public boolean needsSums() {
    return false;
  }

  /** Whether there is something to read. A glance, for any thread. */
  public boolean hasBytes() {
    return reader.hasBytes() || ended;
  }

  /** Takes rings of the bell off the socket, and notices if the other side is gone. */
  public void onBell() throws IOException {
    while (true) {
      bells.clear();
      int got = socket.read(bells);
      if (got < 0) {
        ended = true;
      }
      if (got < bells.capacity()) {
        return;
      }
    }
  }

  /** Lets the other side ring the bell from now on; false if there is something to read. */
  public boolean sleep() throws MillraceException {
    return !ended && reader.park();
  }

  /** The other side need not ring the bell. */
  public void wake() {
    reader.unpark();
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int got = reader.read(MemorySegment.ofBuffer(into), 0, into.remaining());
    if (got == 0) {
      return ended && reader.readableBytes() == 0 ? -1 : 0;
    }
    into.position(into.position() + got);
    if (reader.release()) {
      ring();
    }
    return got;
  }

  @Override
  public long write(ByteBuffer[] from, int first, int count) throws IOException {
    long written = 0;
    for (int i = first; i < first + count; i++) {
      int left = from[i].remaining();
      int took = writer.write(MemorySegment.ofBuffer(from[i]), 0, left);
      from[i].position(from[i].position() + took);
      written += took;
      if (took < left) {
        break;
      }
    }
    if (writer.publish()) {
      ring();
    }
    return written;
  }

  private void ring() throws IOException {
    socket.write(new ByteBuffer[] {BELL.duplicate()}, 0, 1); // full: it rings already
  }

  @Override
  public void wantRoom() {
    try {
      if (!writer.park(ROOM)) {
        loop.submit(watcher::onReady);
      }
    } catch (MillraceException e) {
      loop.submit(watcher::onReady); // its reader will notice
    }
  }

  @Override
  public boolean canAwait() {
    return socket.canAwait();
  }

  /** Sleeps until the bell rings, unless there is something to read; for bytes and for room. */
  @Override
  public void await(boolean forRoom, long nanos) throws IOException {
    if (sleep()) {
      socket.await(false, nanos);
      onBell();
    }
  }

  @Override
  public void resume() {
    socket.resume();
  }

  @Override
  public void close() {
    socket.close();
  }
}
