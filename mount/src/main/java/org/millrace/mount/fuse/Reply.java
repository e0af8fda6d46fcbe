package org.millrace.mount.fuse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.millrace.mount.fuse.Structs.Out;

/**
 * A reply that is put together in a buffer, which is used again for the next. Offsets are those of
 * {@link Structs}, behind the header.
 *
 * <p>For one thread.
 */
public final class Reply {

  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  // Constant after construction.
  private final MemorySegment buffer;

  // Of the reply that is in the buffer.
  private long size;

  /** Over a buffer. */
  public Reply(MemorySegment buffer) {
    this.buffer = buffer;
  }

  /** The buffer. */
  public MemorySegment buffer() {
    return buffer;
  }

  /** Begins an empty reply. */
  public void clear() {
    size = 0;
  }

  /** Adds a structure of zeros; returns where it begins. */
  public int add(int bytes) {
    long at = Out.BYTES + size;
    buffer.asSlice(at, bytes).fill((byte) 0);
    size += bytes;
    return (int) (at - Out.BYTES);
  }

  /** How many bytes there are behind the header. */
  public int size() {
    return (int) size;
  }

  /** How many bytes fit behind the header. */
  public long room() {
    return buffer.byteSize() - Out.BYTES;
  }

  /** Room behind the header, for bytes that are put there by others; {@link #filled} says so. */
  public MemorySegment payload(long bytes) {
    return buffer.asSlice(Out.BYTES, bytes);
  }

  /** Says how many bytes of the payload there are. */
  public void filled(long bytes) {
    size = bytes;
  }

  /** A number of 2 bytes. */
  public void put2(int offset, int value) {
    buffer.set(SHORT, Out.BYTES + offset, (short) value);
  }

  /** A number of 4 bytes. */
  public void put4(int offset, int value) {
    buffer.set(INT, Out.BYTES + offset, value);
  }

  /** A number of 8 bytes. */
  public void put8(int offset, long value) {
    buffer.set(LONG, Out.BYTES + offset, value);
  }

  /** Bytes. */
  public void putBytes(int offset, byte[] bytes) {
    MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, Out.BYTES + offset, bytes.length);
  }

  /** Writes the header of a success; returns the length of all. */
  public long succeed(long unique) {
    return header(0, unique);
  }

  /** Makes it the reply of a failure; returns the length of all. */
  public long fail(int errno, long unique) {
    size = 0;
    return header(-errno, unique);
  }

  /** Makes it a notification; returns the length of all. */
  public long notice(int code) {
    return header(code, 0);
  }

  private long header(int error, long unique) {
    long length = Out.BYTES + size;
    buffer.set(INT, Out.LENGTH, (int) length);
    buffer.set(INT, Out.ERROR, error);
    buffer.set(LONG, Out.UNIQUE, unique);
    return length;
  }
}
