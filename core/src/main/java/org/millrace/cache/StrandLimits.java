package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks the arguments of calls of a strand. No state. */
final class StrandLimits {

  private StrandLimits() {}

  static void checkPlace(long offset, long length) {
    if (offset < 0 || length < 0 || offset + length < 0) {
      throw new IndexOutOfBoundsException(
          "offset " + offset + " and length " + length + " must lie in 0.." + Long.MAX_VALUE);
    }
  }

  /** Throws unless the blocks ascend and lie in a strand. */
  static void checkBlocks(List<Pin.Blocks> blocks, int shift) {
    Pin.Blocks wrong = wrong(blocks, shift);
    if (wrong != null) {
      throw new IndexOutOfBoundsException("blocks out of order or out of bounds: " + wrong);
    }
  }

  /** The first blocks that do not ascend or do not lie in a strand; null if all do. */
  static Pin.@Nullable Blocks wrong(List<Pin.Blocks> blocks, int shift) {
    long next = 0;
    for (Pin.Blocks run : blocks) {
      if (run.first() < next
          || run.count() < 1
          || run.first() > (Long.MAX_VALUE >>> shift) - run.count() - 1) {
        return run;
      }
      next = run.first() + run.count();
    }
    return null;
  }

  /** Throws unless all runs lie in the memory. */
  static void checkMemory(long at, long length, long atStride, long count, MemorySegment memory) {
    if (length > 0 && count > 0) {
      long last = Math.addExact(at, Math.multiplyExact(atStride, count - 1));
      Objects.checkFromIndexSize(Math.min(at, last), length, memory.byteSize());
      Objects.checkFromIndexSize(Math.max(at, last), length, memory.byteSize());
    }
  }

  /** Returns the bytes of all runs. */
  static long checkRuns(long offset, long length, long stride, long count) {
    if (length < 0 || count < 0) {
      throw new IndexOutOfBoundsException(
          "length " + length + " and count " + count + " must not be negative");
    }
    long bytes;
    try {
      bytes = Math.multiplyExact(length, count);
      if (bytes > 0) {
        long last = Math.addExact(offset, Math.multiplyExact(stride, count - 1));
        checkPlace(Math.min(offset, last), 0);
        checkPlace(Math.max(offset, last), length);
      }
    } catch (ArithmeticException e) {
      throw new IndexOutOfBoundsException(
          count
              + " runs of "
              + length
              + " bytes, "
              + stride
              + " apart from "
              + offset
              + " on, reach beyond "
              + Long.MAX_VALUE);
    }
    return bytes;
  }
}
