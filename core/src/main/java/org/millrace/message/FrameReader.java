package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Wire;

/**
 * Reads frames from a wire. Header, body, payload and sum are read into a buffer and taken from
 * there; the rest of a payload that is longer than the buffer is read directly to its destination.
 *
 * <p>Owned by the thread that holds the connection's lock for reading.
 */
final class FrameReader {

  private static final int BUFFER = 64 << 10;
  private static final int DIRECT_READ = 8 << 10;

  /** Behind a long payload another one is likely: little of it should go through the buffer. */
  private static final int SHORT_READ = 4 << 10;

  /** So much of a payload is read at a time, and is still near when it is summed. */
  private static final int MAX_READ = 256 << 10;

  /** How much is read before the event loop serves its other connections. */
  private static final long TURN = 4 << 20;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** How a turn ended. */
  enum Turn {
    /** There is nothing now. */
    EMPTY,
    /** There may be more. */
    MORE,
    /** The peer has closed the connection. */
    END
  }

  private final Connection.Handler handler;

  private ByteBuffer buffer =
      buffer(FrameHeader.MAX_HANDSHAKE); // peers that are not authenticated get little
  private int maxBody = FrameHeader.MAX_HANDSHAKE;
  private final CRC32C sum = new CRC32C();
  private @Nullable FrameHeader frame;
  private ByteBuffer body = NOTHING;
  private @Nullable Sink sink;
  private boolean sinkRequested;
  private int payloadLeft;
  private boolean behindLong;
  private boolean read;
  private long whole;

  FrameReader(Connection.Handler handler) {
    this.handler = handler;
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN).flip();
  }

  /** From now on the other side may send as much as the protocol allows. */
  void endHandshake() {
    maxBody = FrameHeader.MAX_BODY;
    ByteBuffer larger = buffer(BUFFER);
    larger.clear().put(buffer).flip();
    buffer = larger;
  }

  /** Nothing more will come. */
  void drop() {
    Sink now = sink;
    if (now != null) {
      now.drop();
    }
  }

  /** Whether the last turn has read anything. */
  boolean hasRead() {
    return read;
  }

  /** How many frames have become complete. */
  long whole() {
    return whole;
  }

  /** Whether a frame has begun that is not complete. */
  boolean isInside() {
    return frame != null;
  }

  /** Reads for a while, and hands over the frames that become complete. */
  Turn turn(Connection connection) throws IOException {
    read = false;
    long left = TURN;
    while (left > 0) {
      while (!connection.isLost() && step(connection.wire())) {
        // takes all that is in the buffer
      }
      if (connection.isLost()) {
        return Turn.EMPTY;
      }
      Wire wire = connection.wire(); // may have become another one
      int got = isReadingLongPayload() ? readPayload(wire) : readBuffer(wire);
      if (got <= 0) {
        return got < 0 ? Turn.END : Turn.EMPTY;
      }
      read = true;
      left -= got;
    }
    return Turn.MORE;
  }

  private int readBuffer(Wire wire) throws IOException {
    buffer.compact();
    if (behindLong) {
      behindLong = false;
      buffer.limit(Math.min(buffer.limit(), buffer.position() + SHORT_READ));
    }
    int got = wire.read(buffer);
    buffer.flip();
    return got;
  }

  private boolean isReadingLongPayload() {
    return payloadLeft > DIRECT_READ && sinkRequested && !buffer.hasRemaining();
  }

  private int readPayload(Wire wire) throws IOException {
    Sink to = sink;
    ByteBuffer target = to == null ? null : to.enter();
    if (to == null || target == null) {
      return readBuffer(wire);
    }
    try {
      ByteBuffer part = target.duplicate();
      part.limit(Math.min(part.limit(), part.position() + Math.min(payloadLeft, MAX_READ)));
      int got = wire.read(part);
      if (got > 0) {
        sumUp(wire, part.duplicate().flip().position(target.position()));
        target.position(target.position() + got);
        payloadLeft -= got;
        behindLong = true;
      }
      return got;
    } finally {
      to.leave();
    }
  }

  private void sumUp(Wire wire, ByteBuffer bytes) {
    if (wire.needsSums()) {
      sum.update(bytes);
    }
  }

  /** Takes the next thing out of the buffer; false if more must be read first. */
  private boolean step(Wire wire) throws IOException {
    FrameHeader now = frame;
    if (now == null) {
      return stepHead(wire);
    }
    if (body.hasRemaining()) {
      take(wire, body, body.remaining());
      return !body.hasRemaining();
    }
    if (!sinkRequested) {
      sinkRequested = true;
      sink = now.payload() == 0 ? null : handler.sink(now, body.duplicate().flip());
    }
    if (payloadLeft > 0) {
      return stepPayload(wire);
    }
    if (buffer.remaining() < FrameHeader.SUM) {
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

  private boolean stepHead(Wire wire) throws MillraceException {
    if (buffer.remaining() < FrameHeader.HEAD) {
      return false;
    }
    sum.reset();
    sumUp(wire, buffer.duplicate().limit(buffer.position() + FrameHeader.HEAD));
    FrameHeader head = FrameHeader.get(buffer, maxBody);
    if (maxBody == FrameHeader.MAX_HANDSHAKE && head.payload() > 0) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a payload before the handshake");
    }
    frame = head;
    body = head.body() == 0 ? NOTHING.duplicate() : FrameHeader.buffer(head.body());
    payloadLeft = head.payload();
    sinkRequested = false;
    return true;
  }

  private boolean stepPayload(Wire wire) {
    if (!buffer.hasRemaining()) {
      return false;
    }
    int bytes = Math.min(payloadLeft, buffer.remaining());
    Sink to = sink;
    ByteBuffer target = to == null ? null : to.enter();
    if (to == null || target == null) {
      sumUp(wire, buffer.duplicate().limit(buffer.position() + bytes));
      buffer.position(buffer.position() + bytes);
    } else {
      try {
        take(wire, target, bytes);
      } finally {
        to.leave();
      }
    }
    payloadLeft -= bytes;
    return true;
  }

  private void take(Wire wire, ByteBuffer target, int max) {
    int bytes = Math.min(max, buffer.remaining());
    ByteBuffer part = buffer.duplicate().limit(buffer.position() + bytes);
    sumUp(wire, part.duplicate());
    target.put(part);
    buffer.position(buffer.position() + bytes);
  }
}
