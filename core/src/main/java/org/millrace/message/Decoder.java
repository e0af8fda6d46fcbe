package org.millrace.message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Reads bytes that another process wrote: the reverse of {@link Encoder}. Every read checks that
 * there are enough bytes. Owned by one thread.
 */
public final class Decoder {

  private final ByteBuffer bytes;
  private final int start;

  /** Reads what remains of {@code bytes}; the buffer itself is not moved. */
  public Decoder(ByteBuffer bytes) {
    this.bytes = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.start = bytes.position();
  }

  /** How many bytes are left. */
  public int left() {
    return bytes.remaining();
  }

  /** Reads one byte, 0 to 255. */
  public int getByte() throws MillraceException {
    return need(1).get() & 0xff;
  }

  /** Reads a truth value, which must be 0 or 1. */
  public boolean getBoolean() throws MillraceException {
    int value = getByte();
    if (value > 1) {
      throw wrong("truth value " + value);
    }
    return value == 1;
  }

  /** Reads four bytes. */
  public int getInt() throws MillraceException {
    return need(Integer.BYTES).getInt();
  }

  /** Reads eight bytes. */
  public long getLong() throws MillraceException {
    return need(Long.BYTES).getLong();
  }

  /** Reads a text. */
  public String getText() throws MillraceException {
    int length = getCount(1);
    ByteBuffer part = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(part).toString();
    } catch (CharacterCodingException e) {
      throw wrong("text that is not UTF-8");
    }
  }

  /** Reads {@code count} bytes as they are. */
  public byte[] getBytes(int count) throws MillraceException {
    byte[] raw = new byte[Math.min(count, left() + 1)]; // no more memory than bytes came
    need(count).get(raw);
    return raw;
  }

  /** Reads how many of something follow, each of which takes at least {@code minBytes} bytes. */
  public int getCount(int minBytes) throws MillraceException {
    int count = getInt();
    if (count < 0 || (long) count * minBytes > left()) {
      throw wrong("a count of " + count + " with " + left() + " bytes left");
    }
    return count;
  }

  /** Makes sure that nothing is left. */
  public void end() throws MillraceException {
    if (left() > 0) {
      throw wrong(left() + " bytes too many");
    }
  }

  /** What is wrong with the bytes, as an error that says where. */
  public MillraceException wrong(String what) {
    return new MillraceException(
        ErrorCode.PROTOCOL, what + " at byte " + (bytes.position() - start) + " of a message");
  }

  private ByteBuffer need(int count) throws MillraceException {
    if (count < 0 || bytes.remaining() < count) {
      throw wrong(count + " bytes are needed, " + bytes.remaining() + " are there");
    }
    return bytes;
  }
}
