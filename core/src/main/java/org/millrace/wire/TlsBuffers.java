package org.millrace.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * The encrypted bytes of a TLS connection that are between the engine and the socket, in two
 * buffers of fixed size. Used by one thread at a time; its owner's lock sees to that.
 */
final class TlsBuffers {

  private final ByteChannel below;

  /** What came and was not taken, from its start to its position: ready for more to come. */
  private ByteBuffer in;

  /** What has not been sent, from its start to its position: ready for more to be added. */
  private ByteBuffer out;

  TlsBuffers(ByteChannel below, int bytes) {
    this.below = below;
    this.in = ByteBuffer.allocate(bytes);
    this.out = ByteBuffer.allocate(bytes);
  }

  /** Makes both larger; what they hold stays. */
  void grow(int bytes) {
    in = larger(in, bytes);
    out = larger(out, bytes);
  }

  private static ByteBuffer larger(ByteBuffer old, int bytes) {
    return old.capacity() >= bytes ? old : ByteBuffer.allocate(bytes).put(old.flip());
  }

  /** Takes what has come; returns as {@link ByteChannel#read}. */
  int receive() throws IOException {
    return below.read(in);
  }

  /** Drops what has come, but no more than a buffer full. */
  void discard() throws IOException {
    in.clear();
    below.read(in);
    in.clear();
  }

  /** Where nothing more has room until some of it is taken. */
  boolean isInFull() {
    return !in.hasRemaining();
  }

  /** What has come, to take from; to be followed by {@link #taken}. */
  ByteBuffer toTake() {
    return in.flip();
  }

  void taken() {
    in.compact();
  }

  /** Where to add what is to be sent. */
  ByteBuffer toFill() {
    return out;
  }

  boolean hasUnsent() {
    return out.position() > 0;
  }

  /** Sends what the socket takes; returns whether that was all. */
  boolean send() throws IOException {
    if (out.position() > 0) {
      out.flip();
      try {
        below.write(out);
      } finally {
        out.compact();
      }
    }
    return out.position() == 0;
  }
}
