package org.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The inner loops: strided runs of one block to and from packed memory. No state. */
final class CopyLoops {

  private CopyLoops() {}

  /**
   * Packs {@code count} runs of {@code length} bytes, {@code stride} apart from {@code in} on, into
   * {@code into}.
   */
  static void gather(
      MemorySegment block,
      long in,
      long length,
      long stride,
      long count,
      MemorySegment into,
      long at) {
    if (stride == length || count == 1) {
      MemorySegment.copy(block, in, into, at, length * count);
    } else if (length == Long.BYTES) {
      for (long i = 0; i < count; i++) {
        into.set(
            JAVA_LONG_UNALIGNED,
            at + i * Long.BYTES,
            block.get(JAVA_LONG_UNALIGNED, in + i * stride));
      }
    } else if (length == Integer.BYTES) {
      for (long i = 0; i < count; i++) {
        into.set(
            JAVA_INT_UNALIGNED,
            at + i * Integer.BYTES,
            block.get(JAVA_INT_UNALIGNED, in + i * stride));
      }
    } else {
      for (long i = 0; i < count; i++) {
        MemorySegment.copy(block, in + i * stride, into, at + i * length, length);
      }
    }
  }

  /** The reverse of {@link #gather}; where runs overlap the later one wins. */
  static void scatter(
      MemorySegment block,
      long in,
      long length,
      long stride,
      long count,
      MemorySegment from,
      long at) {
    if (stride == length || count == 1) {
      MemorySegment.copy(from, at, block, in, length * count);
    } else if (length == Long.BYTES) {
      for (long i = 0; i < count; i++) {
        block.set(
            JAVA_LONG_UNALIGNED,
            in + i * stride,
            from.get(JAVA_LONG_UNALIGNED, at + i * Long.BYTES));
      }
    } else if (length == Integer.BYTES) {
      for (long i = 0; i < count; i++) {
        block.set(
            JAVA_INT_UNALIGNED,
            in + i * stride,
            from.get(JAVA_INT_UNALIGNED, at + i * Integer.BYTES));
      }
    } else {
      for (long i = 0; i < count; i++) {
        MemorySegment.copy(from, at + i * length, block, in + i * stride, length);
      }
    }
  }

  /**
   * How many of {@code count} runs that start at {@code in} lie wholly in this block; at least one
   * does.
   */
  static long runsWithin(long in, long length, long stride, long count) {
    if (stride == 0) {
      return count;
    }
    long room = stride > 0 ? (Frame.BYTES - in - length) / stride : in / -stride;
    return Math.min(count, room + 1);
  }
}
