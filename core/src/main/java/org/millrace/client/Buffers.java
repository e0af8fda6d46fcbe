package org.millrace.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A program's memory as segments. Null becomes a segment that cannot be used: other ranks may wait
 * for this one, so it comes to the call with that, and the call fails on all. Accesses of one rank
 * refuse it with a {@link NullPointerException}. Stateless.
 */
public final class Buffers {

  private static final MemorySegment NONE = freed();

  private Buffers() {}

  /** Refuses what null became. */
  @SuppressWarnings("MemorySegmentReferenceEquality") // the very one, whatever it looks like
  static void checkThere(MemorySegment segment) {
    if (segment == NONE) {
      throw new NullPointerException("there is no buffer, null was given");
    }
  }

  private static MemorySegment freed() {
    try (Arena arena = Arena.ofShared()) {
      return arena.allocate(1);
    }
  }

  /** The same, or one that cannot be used. */
  public static MemorySegment of(MemorySegment segment) {
    return segment == null ? NONE : segment;
  }

  /** A whole array. */
  public static MemorySegment of(byte[] array) {
    return array == null ? NONE : MemorySegment.ofArray(array);
  }

  /** A whole array, in the byte order of this machine. */
  public static MemorySegment of(int[] array) {
    return array == null ? NONE : MemorySegment.ofArray(array);
  }

  /** A whole array, in the byte order of this machine. */
  public static MemorySegment of(long[] array) {
    return array == null ? NONE : MemorySegment.ofArray(array);
  }

  /** A whole array, in the byte order of this machine. */
  public static MemorySegment of(float[] array) {
    return array == null ? NONE : MemorySegment.ofArray(array);
  }

  /** A whole array, in the byte order of this machine. */
  public static MemorySegment of(double[] array) {
    return array == null ? NONE : MemorySegment.ofArray(array);
  }

  /** A buffer from its position to its limit; neither moves. */
  public static MemorySegment of(ByteBuffer buffer) {
    return buffer == null ? NONE : MemorySegment.ofBuffer(buffer);
  }
}
