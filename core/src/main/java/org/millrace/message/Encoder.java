package org.millrace.message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A buffer for encoding: numbers in little-endian order, texts as their length in bytes and UTF-8.
 * Grows as needed. Owned by one thread; may be reused after {@link #clear}.
 */
public final class Encoder {

  private static final int FIRST_BYTES = 256;

  private ByteBuffer bytes = ByteBuffer.allocate(FIRST_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  /** An encoder that holds nothing. */
  public Encoder() {}

  /** Forgets what was written. */
  public void clear() {
    bytes.clear();
  }

  /** How many bytes were written. */
  public int size() {
    return bytes.position();
  }

  /** What was written, from its first byte to its last; valid until the next write. */
  public ByteBuffer written() {
    return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).flip();
  }

  /** Writes one byte, 0 to 255. */
  public Encoder putByte(int value) {
    if ((value & ~0xff) != 0) {
      throw new IllegalArgumentException(value + " is not a byte");
    }
    room(1).put((byte) value);
    return this;
  }

  /** Writes true as 1 and false as 0. */
  public Encoder putBoolean(boolean value) {
    return putByte(value ? 1 : 0);
  }

  /** Writes four bytes. */
  public Encoder putInt(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  /** Writes eight bytes. */
  public Encoder putLong(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  /** Writes a text. */
  public Encoder putText(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    room(Integer.BYTES + utf8.length).putInt(utf8.length).put(utf8);
    return this;
  }

  /** Writes bytes as they are, without their length. */
  public Encoder putBytes(byte[] raw) {
    room(raw.length).put(raw);
    return this;
  }

  /** Changes four bytes that were written before. */
  public void setInt(int at, int value) {
    bytes.putInt(at, value);
  }

  private ByteBuffer room(int more) {
    if (bytes.remaining() < more) {
      int wanted = Math.max(2 * bytes.capacity(), Math.addExact(bytes.position(), more));
      bytes = ByteBuffer.allocate(wanted).order(ByteOrder.LITTLE_ENDIAN).put(bytes.flip());
    }
    return bytes;
  }
}
