package org.millrace.access.copy;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The loops of {@link Kernels} between memory and memory outside the heap. No state. */
final class NativeLoops {

  private NativeLoops() {}

  /** Copies {@code count} words of 1, 2, 4 or 8 bytes. */
  static void words(
      int bytes,
      MemorySegment source,
      long sourceAt,
      long sourceStride,
      MemorySegment target,
      long targetAt,
      long targetStride,
      int count) {
    switch (bytes) {
      case Long.BYTES ->
          longs(source, sourceAt, sourceStride, target, targetAt, targetStride, count);
      case Integer.BYTES ->
          ints(source, sourceAt, sourceStride, target, targetAt, targetStride, count);
      case Short.BYTES ->
          shorts(source, sourceAt, sourceStride, target, targetAt, targetStride, count);
      default -> bytes(source, sourceAt, sourceStride, target, targetAt, targetStride, count);
    }
  }

  private static void longs(
      MemorySegment source, long from, long step, MemorySegment target, long to, long by, int n) {
    long s = from;
    long t = to;
    for (int i = 0; i < n; i++) {
      target.set(JAVA_LONG_UNALIGNED, t, source.get(JAVA_LONG_UNALIGNED, s));
      s += step;
      t += by;
    }
  }

  private static void ints(
      MemorySegment source, long from, long step, MemorySegment target, long to, long by, int n) {
    long s = from;
    long t = to;
    for (int i = 0; i < n; i++) {
      target.set(JAVA_INT_UNALIGNED, t, source.get(JAVA_INT_UNALIGNED, s));
      s += step;
      t += by;
    }
  }

  private static void shorts(
      MemorySegment source, long from, long step, MemorySegment target, long to, long by, int n) {
    long s = from;
    long t = to;
    for (int i = 0; i < n; i++) {
      target.set(JAVA_SHORT_UNALIGNED, t, source.get(JAVA_SHORT_UNALIGNED, s));
      s += step;
      t += by;
    }
  }

  private static void bytes(
      MemorySegment source, long from, long step, MemorySegment target, long to, long by, int n) {
    long s = from;
    long t = to;
    for (int i = 0; i < n; i++) {
      target.set(JAVA_BYTE, t, source.get(JAVA_BYTE, s));
      s += step;
      t += by;
    }
  }
}
