package org.millrace.message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The header of a frame; {@code docs/protocol.md} describes it.
 *
 * <pre>
 *   0       4          8      9       10     12        16    24             32
 *   | body  | payload  | kind | flags | zero | millis  | id  | acknowledged | body | payload | sum |
 * </pre>
 *
 * @param kind what the frame is, one of {@link FrameKind}
 * @param flags bits that belong to the kind
 * @param millis of a request: how much time it has left, 0 if there is no end
 * @param id number of the request that the frame is, or belongs to
 * @param acknowledged answers to all requests below this number have arrived
 * @param body bytes of the body
 * @param payload bytes of the payload
 */
record FrameHeader(
    FrameKind kind, int flags, int millis, long id, long acknowledged, int body, int payload) {

  /** Bytes of a head. */
  static final int HEAD = 32;

  /** Bytes of the sum behind the payload. */
  static final int SUM = 4;

  /** The largest body. */
  static final int MAX_BODY = 16 << 20;

  /** The largest body before the peer has identified itself. */
  static final int MAX_HANDSHAKE = 8 << 10;

  /** The largest payload. */
  static final int MAX_PAYLOAD = 4 << 20;

  /** A payload up to this goes with its request; a larger one waits until the receiver pulls. */
  static final int EAGER = 64 << 10;

  /** The most that one get or put moves; larger ones are several. */
  static final int SLICE = 256 << 10;

  /** The payload waits to be pulled. */
  static final int PULLED = 1;

  /** The payload lies in shared memory; the end of the body says where. */
  static final int NAMED = 2;

  void put(ByteBuffer to) {
    to.putInt(body).putInt(payload).put((byte) kind.number()).put((byte) flags).putShort((short) 0);
    to.putInt(millis).putLong(id).putLong(acknowledged);
  }

  /** Reads a head. */
  static FrameHeader get(ByteBuffer from, int maxBody) throws MillraceException {
    int body = from.getInt();
    int payload = from.getInt();
    FrameKind kind = FrameKind.of(from.get() & 0xff);
    int flags = from.get() & 0xff;
    short zero = from.getShort();
    int millis = from.getInt();
    long id = from.getLong();
    long acknowledged = from.getLong();
    if (body < 0 || body > maxBody || payload < 0 || payload > MAX_PAYLOAD || zero != 0) {
      throw new MillraceException(
          ErrorCode.PROTOCOL,
          "a frame of %s + %s bytes, at most %s + %s are allowed"
              .formatted(body & 0xffffffffL, payload & 0xffffffffL, maxBody, MAX_PAYLOAD));
    }
    return new FrameHeader(kind, flags, millis, id, acknowledged, body, payload);
  }

  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
