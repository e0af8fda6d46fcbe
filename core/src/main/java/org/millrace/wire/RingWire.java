package org.millrace.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A wire between processes of one user on one host: bytes go through two rings in memory that both
 * share, and a Unix-domain socket is the doorbell for who sleeps and tells when the other end is
 * gone. As {@link Wire} says, and:
 *
 * <p>A {@link #read} that finds nothing has said so in the ring: from then on the next bytes ring
 * the bell, which the hub hears. So whoever has called {@link #awake}, to look by itself, must read
 * until nothing is there before it turns to something else. Both are for the thread that reads.
 */
public final class RingWire implements Wire {

  /** How large a ring is, each way: some requests, or a large answer's next part. */
  public static final int RING_BYTES = 256 << 10;

  /** Who waits for room is woken when there is so much of it, not for each few bytes. */
  private static final int WANTED_ROOM = RING_BYTES / 4;

  // constant after construction
  private final Wire bell;
  private final SharedMemory memory;
  private final RingReader reader;
  private final RingWriter writer;

  private final AtomicBoolean closed = new AtomicBoolean();

  // owned by the thread that reads
  private final ByteBuffer heard = ByteBuffer.allocateDirect(256);

  /**
   * A wire through {@code memory}, of {@link #bytes} bytes; one end is the {@code first}, the other
   * is not.
   */
  public RingWire(Wire bell, SharedMemory memory, boolean first) {
    MemorySegment all = memory.segment();
    long half = Ring.bytesFor(RING_BYTES);
    this.bell = bell;
    this.memory = memory;
    this.reader = new RingReader(all.asSlice(first ? 0 : half, half));
    this.writer = new RingWriter(all.asSlice(first ? half : 0, half));
  }

  /** How much memory a wire needs. */
  public static long bytes() {
    return 2 * Ring.bytesFor(RING_BYTES);
  }

  @Override
  public void attach(Hub hub, Hub.Watcher watcher) {
    bell.attach(hub, watcher);
  }

  @Override
  public Identity identity() {
    return bell.identity();
  }

  @Override
  public boolean isNeighbour() {
    return bell.isNeighbour();
  }

  /** Memory is not a line that bits get lost on. */
  @Override
  public boolean needsSums() {
    return false;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int read = readRing(into);
    if (read != 0 || !into.hasRemaining()) {
      return read;
    }
    boolean gone = drainBell() < 0;
    if (!reader.park()) {
      return readRing(into); // came just now
    }
    return gone ? -1 : 0;
  }

  private int readRing(ByteBuffer into) throws IOException {
    MemorySegment target = MemorySegment.ofBuffer(into);
    int read = reader.read(target, 0, (int) Math.min(target.byteSize(), RING_BYTES));
    ring(reader.release());
    into.position(into.position() + read);
    return read;
  }

  /** Takes what the bell has rung so far; negative if the other end is gone. */
  private int drainBell() throws IOException {
    int got;
    do {
      got = bell.read(heard.clear());
    } while (got > 0);
    return got;
  }

  @Override
  public long write(ByteBuffer[] from, int first, int count) throws IOException {
    long written = 0;
    for (int i = first; i < first + count; i++) {
      int wrote = writeRing(from[i]);
      written += wrote;
      if (from[i].hasRemaining()) {
        break;
      }
    }
    ring(writer.publish());
    return written;
  }

  private int writeRing(ByteBuffer from) throws IOException {
    if (!from.hasRemaining()) {
      return 0;
    }
    MemorySegment source = MemorySegment.ofBuffer(from);
    int wrote = writer.write(source, 0, (int) Math.min(source.byteSize(), RING_BYTES));
    from.position(from.position() + wrote);
    return wrote;
  }

  /**
   * {@inheritDoc}
   *
   * <p>The reader of the other end rings the bell when there is room, and the hub hears that as it
   * hears of bytes. If there is room by now, the hub is asked to say so at once.
   */
  @Override
  public void wantRoom() {
    try {
      if (writer.park(WANTED_ROOM)) {
        return;
      }
    } catch (IOException e) {
      close(); // the other end has broken the ring: its reader is told
      return;
    }
    bell.wantRoom();
  }

  /** Whether bytes are there. */
  @Override
  public boolean hasMore() {
    try {
      return reader.readableBytes() > 0;
    } catch (IOException e) {
      return true; // reading tells
    }
  }

  /** Says that the thread that reads looks by itself, so that no bell is needed. */
  public void awake() {
    reader.unpark();
  }

  /**
   * A byte that does not fit into the socket is not needed: those in it will wake the other end.
   */
  private void ring(boolean needed) throws IOException {
    if (needed) {
      bell.write(new ByteBuffer[] {ByteBuffer.allocate(1)}, 0, 1);
    }
  }

  @Override
  public void close() {
    bell.close();
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      memory.close();
    } catch (IOException e) {
      // the next process of this user removes what is left
    }
  }
}
