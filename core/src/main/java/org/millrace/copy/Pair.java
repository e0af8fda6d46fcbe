package org.millrace.copy;

import java.lang.foreign.MemorySegment;

/**
 * Copies two families of words of 8 bytes at once between one block and two packed memories outside
 * the heap. Both families have the same stride in the block; where ranks own every P-th element
 * this fetches what lies side by side in the block once instead of twice. No state.
 */
public final class Pair {

  private Pair() {}

  /** Whether there are loops for such memory. */
  public static boolean isPossible(MemorySegment one, MemorySegment other) {
    return one.isNative() && other.isNative();
  }

  /**
   * Whether no byte of the block belongs to both families. If so it does not matter in which order
   * they are copied into it.
   */
  public static boolean isDisjoint(long at, long otherAt, long stride) {
    long step = Math.abs(stride);
    if (step < Long.BYTES) {
      return false;
    }
    long distance = Math.abs(at - otherAt) % step;
    return distance >= Long.BYTES && step - distance >= Long.BYTES;
  }

  /**
   * Copies {@code count} words from {@code at} of the block to {@code place} of one memory, and as
   * many from {@code otherAt} to {@code otherPlace} of the other.
   */
  public static void copyOut(
      MemorySegment block,
      long at,
      long otherAt,
      long stride,
      MemorySegment one,
      long place,
      MemorySegment other,
      long otherPlace,
      int count) {
    long bytes = (long) count * Long.BYTES;
    MemorySegment first = one.asSlice(place, bytes);
    MemorySegment second = other.asSlice(otherPlace, bytes);
    NativeLoops.pairOut(block, at, otherAt - at, stride, first, second, count);
  }

  /** The reverse of {@link #copyOut}. */
  public static void copyIn(
      MemorySegment block,
      long at,
      long otherAt,
      long stride,
      MemorySegment one,
      long place,
      MemorySegment other,
      long otherPlace,
      int count) {
    long bytes = (long) count * Long.BYTES;
    MemorySegment first = one.asSlice(place, bytes);
    MemorySegment second = other.asSlice(otherPlace, bytes);
    NativeLoops.pairIn(block, at, otherAt - at, stride, first, second, count);
  }
}
