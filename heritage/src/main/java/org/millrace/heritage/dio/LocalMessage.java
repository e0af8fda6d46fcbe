package org.millrace.heritage.dio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * What ranks say to each other about local files.
 *
 * <pre>
 *   request:  kind (1) | tag of the reply (4) | offset (8) | bytes (8) | data of a write
 *   reply:    0 (1) | data of a read, or a number (8)
 *             error code + 1 (1) | message
 * </pre>
 *
 * @param kind what is wanted
 * @param replyTag under which tag the answer is to come
 * @param offset in the file
 * @param bytes how many; for {@link Kind#EXTEND} the size
 * @param data to write
 */
@SuppressWarnings({
  "ArrayRecordComponent", // nobody compares messages
  "EnumOrdinal" // numbers for a moment, between ranks of one program
})
record LocalMessage(Kind kind, int replyTag, long offset, long bytes, byte[] data) {

  /** What a server takes into memory at once, about as much as the paper's buffer. */
  static final int PIECE = 100 << 10;

  /** The tag of all requests. */
  static final int REQUEST = 0;

  private static final int HEAD = 1 + Integer.BYTES + 2 * Long.BYTES;
  private static final byte[] NOTHING = {};

  /** What can be asked. */
  enum Kind {
    READ,
    WRITE,
    SIZE,
    EXTEND,
    STOP
  }

  static LocalMessage of(Kind kind, int replyTag, long offset, long bytes) {
    return new LocalMessage(kind, replyTag, offset, bytes, NOTHING);
  }

  byte[] encode() {
    return ByteBuffer.allocate(HEAD + data.length)
        .put((byte) kind.ordinal())
        .putInt(replyTag)
        .putLong(offset)
        .putLong(bytes)
        .put(data)
        .array();
  }

  static LocalMessage decode(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message);
    Kind kind = Kind.values()[in.get()];
    int tag = in.getInt();
    long offset = in.getLong();
    long bytes = in.getLong();
    return new LocalMessage(
        kind, tag, offset, bytes, Arrays.copyOfRange(message, HEAD, message.length));
  }

  static byte[] success(byte[] result, int length) {
    return ByteBuffer.allocate(1 + length).put((byte) 0).put(result, 0, length).array();
  }

  static byte[] success(long result) {
    return ByteBuffer.allocate(1 + Long.BYTES).put((byte) 0).putLong(result).array();
  }

  static byte[] failure(MillraceException e) {
    byte[] text = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + text.length)
        .put((byte) (1 + e.code().ordinal()))
        .put(text)
        .array();
  }

  /** The result in a reply, or its error thrown. */
  static ByteBuffer result(byte[] reply) throws IOException {
    if (reply[0] != 0) {
      String text = new String(reply, 1, reply.length - 1, StandardCharsets.UTF_8);
      throw MillraceException.of(ErrorCode.values()[reply[0] - 1], text);
    }
    return ByteBuffer.wrap(reply, 1, reply.length - 1);
  }
}
