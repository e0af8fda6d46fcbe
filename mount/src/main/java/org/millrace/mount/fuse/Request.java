package org.millrace.mount.fuse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.millrace.mount.fuse.Structs.In;

/**
 * A request in the buffer that it was read into, which is used again for the next. Offsets are
 * those of {@link Structs}, behind the header.
 *
 * <p>For one thread.
 */
public final class Request {

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  // Constant after construction.
  private final MemorySegment buffer;

  // Of the request that is in the buffer.
  private long length;

  /** Over a buffer. */
  public Request(MemorySegment buffer) {
    this.buffer = buffer;
  }

  /** The buffer, to be filled. */
  public MemorySegment buffer() {
    return buffer;
  }

  /**
   * Says that the buffer holds a request.
   *
   * @return whether its header fits the number of bytes that were read
   */
  public boolean arrived(long bytes) {
    length = bytes;
    return bytes >= In.BYTES && Integer.toUnsignedLong(buffer.get(INT, In.LENGTH)) == bytes;
  }

  /** What is asked; null if this version does not know it. */
  public @Nullable Opcode opcode() {
    return Opcode.of(buffer.get(INT, In.OPCODE));
  }

  /** The number of what is asked. */
  public int opcodeNumber() {
    return buffer.get(INT, In.OPCODE);
  }

  /** Its own number. */
  public long unique() {
    return buffer.get(LONG, In.UNIQUE);
  }

  /** The node that it is about. */
  public long node() {
    return buffer.get(LONG, In.NODE);
  }

  /** The user that asks. */
  public int user() {
    return buffer.get(INT, In.UID);
  }

  /** The group that asks. */
  public int group() {
    return buffer.get(INT, In.GID);
  }

  /** Whether there are so many bytes behind the header. */
  public boolean has(long bytes) {
    return length - In.BYTES >= bytes;
  }

  /** A number of 4 bytes. */
  public int i4(int offset) {
    return buffer.get(INT, In.BYTES + offset);
  }

  /** A number of 4 bytes without a sign. */
  public long u4(int offset) {
    return Integer.toUnsignedLong(i4(offset));
  }

  /** A number of 8 bytes. */
  public long i8(int offset) {
    return buffer.get(LONG, In.BYTES + offset);
  }

  /** Bytes, in place. */
  public MemorySegment bytes(long offset, long size) {
    return buffer.asSlice(In.BYTES + offset, size);
  }

  /**
   * A name that ends with a zero byte.
   *
   * @throws CharacterCodingException if it is not UTF-8
   * @throws IndexOutOfBoundsException if it has no end
   */
  public String name(long offset) throws CharacterCodingException {
    ByteBuffer bytes = bytes(offset, end(offset) - offset).asByteBuffer();
    return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
  }

  /** Where the name at an offset is over: that of its zero byte. */
  public long end(long offset) {
    for (long at = In.BYTES + offset; at < length; at++) {
      if (buffer.get(ValueLayout.JAVA_BYTE, at) == 0) {
        return at - In.BYTES;
      }
    }
    throw new IndexOutOfBoundsException("name without end in a request of " + length + " bytes");
  }
}
