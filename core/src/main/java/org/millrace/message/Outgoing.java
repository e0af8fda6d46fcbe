package org.millrace.message;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** A frame on its way out. Owned by whoever holds the connection's lock for writing. */
final class Outgoing {

  /** A payload up to this is copied behind the body: one buffer is cheaper to write than three. */
  private static final int COPIED = 2 << 10;

  private final ByteBuffer[] buffers;
  private final Runnable onWritten;
  private int first;

  private Outgoing(ByteBuffer[] buffers, Runnable onWritten) {
    this.buffers = buffers;
    this.onWritten = onWritten;
  }

  /**
   * A frame.
   *
   * @param payload must not change before {@code onWritten} was called
   */
  static Outgoing of(
      Frame frame, ByteBuffer body, ByteBuffer payload, boolean sums, Runnable onWritten) {
    boolean copy = payload.remaining() <= COPIED;
    int bytes = Frame.HEAD + frame.body() + (copy ? payload.remaining() + Frame.SUM : 0);
    ByteBuffer head = Frame.buffer(bytes);
    frame.put(head);
    head.put(body.duplicate());
    CRC32C sum = new CRC32C();
    if (copy) {
      head.put(payload.duplicate());
      head.putInt(sums ? sum(sum, head.duplicate().flip()) : 0);
      return new Outgoing(new ByteBuffer[] {head.flip()}, onWritten);
    }
    ByteBuffer trailer = Frame.buffer(Frame.SUM);
    if (sums) {
      sum(sum, head.duplicate().flip());
      sum(sum, payload.duplicate());
    }
    trailer.putInt(sums ? (int) sum.getValue() : 0);
    return new Outgoing(
        new ByteBuffer[] {head.flip(), payload.duplicate(), trailer.flip()}, onWritten);
  }

  private static int sum(CRC32C sum, ByteBuffer bytes) {
    sum.update(bytes);
    return (int) sum.getValue();
  }

  ByteBuffer[] buffers() {
    return buffers;
  }

  /** Copies what is left, so that it does not matter any more what becomes of the payload. */
  void own() {
    for (int i = 0; i < buffers.length; i++) {
      if (buffers[i].hasRemaining()) {
        buffers[i] = ByteBuffer.allocate(buffers[i].remaining()).put(buffers[i]).flip();
      }
    }
  }

  /** The first buffer of which something is left. */
  int first() {
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
