package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A frame that is being sent. Owned by the thread that holds the connection's lock for writing. */
final class Outgoing {

  /** Takes bytes of buffers in this order, as {@link org.millrace.wire.Wire#write}. */
  interface Writer {
    long write(ByteBuffer[] from, int first, int count) throws IOException;
  }

  /** A payload up to this is copied behind the body: one buffer is cheaper to write than three. */
  private static final int COPIED = 2 << 10;

  /** So much of a payload is summed at a time, and is still near when it is written. */
  private static final int SUMMED = 256 << 10;

  private static final int PAYLOAD = 1;
  private static final int TRAILER = 2;

  private final ByteBuffer[] buffers;
  private final @Nullable CRC32C sum; // of what was summed; null: the sum stands already
  private final Runnable onWritten;
  private int first;
  private int summed; // the payload's place up to which it was summed

  private Outgoing(ByteBuffer[] buffers, @Nullable CRC32C sum, Runnable onWritten) {
    this.buffers = buffers;
    this.sum = sum;
    this.onWritten = onWritten;
    this.summed = sum == null ? 0 : buffers[PAYLOAD].position();
  }

  /**
   * A frame.
   *
   * @param payload must not change before {@code onWritten} was called
   */
  static Outgoing of(
      FrameHeader frame, ByteBuffer body, ByteBuffer payload, boolean sums, Runnable onWritten) {
    boolean copy = payload.remaining() <= COPIED;
    int bytes =
        FrameHeader.HEAD + frame.body() + (copy ? payload.remaining() + FrameHeader.SUM : 0);
    ByteBuffer head = FrameHeader.buffer(bytes);
    frame.put(head);
    head.put(body.duplicate());
    if (copy) {
      head.put(payload.duplicate());
      head.putInt(sums ? sum(new CRC32C(), head.duplicate().flip()) : 0);
      return new Outgoing(new ByteBuffer[] {head.flip()}, null, onWritten);
    }
    ByteBuffer trailer = FrameHeader.buffer(FrameHeader.SUM);
    CRC32C sum = sums ? new CRC32C() : null;
    if (sum != null) {
      sum(sum, head.duplicate().flip());
    }
    return new Outgoing(
        new ByteBuffer[] {head.flip(), payload.duplicate(), trailer}, sum, onWritten);
  }

  private static int sum(CRC32C sum, ByteBuffer bytes) {
    sum.update(bytes);
    return (int) sum.getValue();
  }

  /** Writes the next of it; returns how many bytes that were. */
  long writeTo(Writer wire) throws IOException {
    int from = first();
    if (sum == null || from == TRAILER) {
      return wire.write(buffers, from, buffers.length - from);
    }
    ByteBuffer payload = buffers[PAYLOAD];
    int end = payload.limit();
    if (summed == payload.position()) {
      int to = Math.min(end, summed + SUMMED);
      int now = sum(sum, payload.duplicate().limit(to));
      summed = to;
      if (to == end) {
        buffers[TRAILER].putInt(0, now);
      }
    }
    if (summed == end) {
      return wire.write(buffers, from, buffers.length - from);
    }
    payload.limit(summed);
    try {
      return wire.write(buffers, from, PAYLOAD + 1 - from);
    } finally {
      payload.limit(end);
    }
  }

  /** Copies the unwritten rest, so that the payload's memory can be reused. */
  void own() {
    if (buffers.length > PAYLOAD && buffers[PAYLOAD].hasRemaining()) {
      ByteBuffer left = buffers[PAYLOAD];
      summed -= left.position();
      buffers[PAYLOAD] = ByteBuffer.allocate(left.remaining()).put(left).flip();
    }
  }

  /** The first buffer of which something is left. */
  private int first() {
    while (first < buffers.length && !buffers[first].hasRemaining()) {
      first++;
    }
    return first;
  }

  boolean isWritten() {
    return first() == buffers.length;
  }

  long left() {
    long left = 0;
    for (ByteBuffer buffer : buffers) {
      left += buffer.remaining();
    }
    return left;
  }

  void written() {
    onWritten.run();
  }
}
