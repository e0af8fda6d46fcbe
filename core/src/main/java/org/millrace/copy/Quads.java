package org.millrace.copy;

import java.lang.foreign.MemorySegment;

/**
 * Copies four families of words of 8 bytes at once between one block and four other memories. The
 * families are equally spaced, in the block and in the memories; where ranks own every P-th element
 * this fetches what lies side by side in the block once instead of four times.
 *
 * <p>Owned by one thread, and used again and again.
 */
public final class Quads {

  /** How many families are copied at once. */
  public static final int FAMILIES = 4;

  MemorySegment memory0 = MemorySegment.NULL;
  MemorySegment memory1 = MemorySegment.NULL;
  MemorySegment memory2 = MemorySegment.NULL;
  MemorySegment memory3 = MemorySegment.NULL;
  long at0;
  long at1;
  long at2;
  long at3;
  long place0;
  long place1;
  long place2;
  long place3;

  /** Without families yet. */
  public Quads() {}

  /** Sets family {@code which}: from {@code at} of the block, from {@code place} of its memory. */
  public void set(int which, long at, MemorySegment memory, long place) {
    switch (which) {
      case 0 -> {
        at0 = at;
        memory0 = memory;
        place0 = place;
      }
      case 1 -> {
        at1 = at;
        memory1 = memory;
        place1 = place;
      }
      case 2 -> {
        at2 = at;
        memory2 = memory;
        place2 = place;
      }
      default -> {
        at3 = at;
        memory3 = memory;
        place3 = place;
      }
    }
  }

  /** Whether the families can be copied at once: all their memory is outside the heap. */
  public boolean isPossible() {
    return memory0.isNative() && memory1.isNative() && memory2.isNative() && memory3.isNative();
  }

  /**
   * Whether no byte of the block belongs to two of the families, {@code stride} apart each. If so
   * it does not matter in which order they are copied into it.
   */
  public boolean isDisjoint(long stride) {
    return areApart(at0, at1, stride)
        && areApart(at0, at2, stride)
        && areApart(at0, at3, stride)
        && areApart(at1, at2, stride)
        && areApart(at1, at3, stride)
        && areApart(at2, at3, stride);
  }

  private static boolean areApart(long one, long other, long stride) {
    long distance = Math.abs(one - other) % Math.max(1, stride);
    return distance >= Long.BYTES && stride - distance >= Long.BYTES;
  }

  /** Copies {@code count} words of each family from the block to its memory. */
  public void copyOut(MemorySegment block, long stride, long placeStride, int count) {
    NativeLoops.quadsOut(block, stride, this, placeStride, count);
  }

  /** Copies {@code count} words of each family from its memory to the block. */
  public void copyIn(MemorySegment block, long stride, long placeStride, int count) {
    NativeLoops.quadsIn(block, stride, this, placeStride, count);
  }
}
