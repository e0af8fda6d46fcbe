package org.millrace.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A stream of bytes through memory that two processes share, one writing ({@link RingWriter}), one
 * reading ({@link RingReader}). Memory that is all zeros is an empty ring.
 *
 * <pre>
 *      0  head: how many bytes were taken out, ever    written by the reader
 *    128  tail: how many bytes were put in, ever       written by the writer
 *    256  1 if the reader sleeps, else 0               set by the reader, cleared by both
 *    384  for how much room the writer sleeps, else 0  set by the writer, cleared by both
 *    512  the bytes; byte n of the stream is at n modulo the capacity
 * </pre>
 *
 * <p>The four words lie apart, because processors fetch lines of 64 bytes in pairs, and a line that
 * both sides write travels between them each time.
 *
 * <p>How no wake-up is lost (Dekker's idea): a side that wants to sleep says so, then looks once
 * more whether there is a reason not to; a side that gives a reason gives it first, then looks
 * whether somebody sleeps. Between the two steps lies a full fence on both sides, so at least one
 * of the two sees the other. The thread that clears a sleeper's word must wake it, through a
 * doorbell that is not part of this class. A bell may ring for nothing: a sleeper that wakes looks,
 * and may sleep again.
 *
 * <p>Neither side believes the other: each keeps its own position to itself, and a position of the
 * other that cannot be makes every call fail from then on. What the bytes mean is for others to
 * check, and since they may change while they are looked at, on a copy of them.
 */
public final class Ring {

  static final long HEAD = 0;
  static final long TAIL = 128;
  static final long READER_SLEEPS = 256;
  static final long WRITER_SLEEPS = 384;

  /** What a ring needs beside its capacity. */
  public static final int HEADER_BYTES = 512;

  private static final int MIN_CAPACITY = 8;
  private static final int MAX_CAPACITY = 1 << 30;
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  final MemorySegment region;

  /** The bytes of the stream, without the header. */
  final MemorySegment data;

  final int capacity;

  Ring(MemorySegment region) {
    long bytes = region.byteSize() - HEADER_BYTES;
    if (bytes < MIN_CAPACITY || bytes > MAX_CAPACITY || Long.bitCount(bytes) != 1) {
      throw new IllegalArgumentException(
          "the capacity of a ring must be a power of two from "
              + MIN_CAPACITY
              + " to "
              + MAX_CAPACITY
              + ", was "
              + bytes);
    }
    if (region.address() % Long.BYTES != 0) {
      throw new IllegalArgumentException("a ring must be aligned, was at " + region.address());
    }
    this.region = region;
    this.data = region.asSlice(HEADER_BYTES);
    this.capacity = (int) bytes;
  }

  /** What a ring of so many bytes takes. */
  public static long bytesFor(int capacity) {
    return HEADER_BYTES + (long) capacity;
  }

  long get(long word) {
    return (long) WORD.getAcquire(region, word);
  }

  void set(long word, long value) {
    WORD.setRelease(region, word, value);
  }

  /** Clears a sleeper's word; whether it was set, and so the caller is the one that must wake. */
  boolean claim(long word) {
    return (long) WORD.getAndSet(region, word, 0L) != 0;
  }

  /** Where byte {@code position} of the stream is in {@link #data}. */
  long at(long position) {
    return position & (capacity - 1);
  }

  /** How many of {@code bytes} bytes from {@code position} on lie next to each other. */
  int stretch(long position, int bytes) {
    return (int) Math.min(bytes, capacity - at(position));
  }

  MillraceException broken(String what, long value, long min, long max) {
    return new MillraceException(
        ErrorCode.PROTOCOL,
        "the other side of shared memory says "
            + what
            + " "
            + value
            + ", which is not from "
            + min
            + " to "
            + max);
  }
}
