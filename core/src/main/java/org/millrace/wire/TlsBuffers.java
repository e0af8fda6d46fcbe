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

  /** What came and was not taken, from its position to its limit. */
  private ByteBuffer in;

  /** What is to be sent ends at its position, where more may be added. */
  private ByteBuffer out;

  /** So much of {@code out} was sent. */
  private int sent;

  TlsBuffers(ByteChannel below, int bytes) {
    this.below = below;
    this.in = ByteBuffer.allocate(bytes).flip();
    this.out = ByteBuffer.allocate(bytes);
  }

  /** Makes both larger; what they hold stays. */
  void grow(int bytes) {
    if (in.capacity() < bytes) {
      in = ByteBuffer.allocate(bytes).put(in).flip();
    }
    if (out.capacity() < bytes) {
      out = ByteBuffer.allocate(bytes).put(unsent());
      sent = 0;
    }
  }

  private ByteBuffer unsent() {
    return out.duplicate().flip().position(sent);
  }

  /** Takes what has come; returns as {@link ByteChannel#read}. */
  int receive() throws IOException {
    in.compact();
    try {
      return below.read(in);
    } finally {
      in.flip();
    }
  }

  /** Drops what has come, but no more than a buffer full. */
  void discard() throws IOException {
    in.clear();
    below.read(in);
    in.clear().flip();
  }

  /** Where nothing more has room until some of it is taken. */
  boolean isInFull() {
    return in.remaining() == in.capacity();
  }

  /** What has come, to take from. */
  ByteBuffer toTake() {
    return in;
  }

  /** Where to add what is to be sent. */
  ByteBuffer toFill() {
    return out;
  }

  boolean hasUnsent() {
    return out.position() > sent;
  }

  /** Sends what the socket takes; returns whether that was all. */
  boolean send() throws IOException {
    if (hasUnsent()) {
      ByteBuffer left = unsent();
      try {
        below.write(left);
      } finally {
        sent = left.position();
      }
    }
    if (hasUnsent()) {
      return false;
    }
    out.clear();
    sent = 0;
    return true;
  }
}
