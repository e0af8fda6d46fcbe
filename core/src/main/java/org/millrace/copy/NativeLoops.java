package org.millrace.copy;

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

  /** Four words of 8 bytes at once, each to memory of its own; as {@link Quads#copyOut} says. */
  static void quadsOut(
      MemorySegment block, long stride, Quads q, long placeStride, int count) {
    MemorySegment m0 = q.memory0;
    MemorySegment m1 = q.memory1;
    MemorySegment m2 = q.memory2;
    MemorySegment m3 = q.memory3;
    long a = 0;
    long p = 0;
    long a0 = q.at0;
    long a1 = q.at1;
    long a2 = q.at2;
    long a3 = q.at3;
    long p0 = q.place0;
    long p1 = q.place1;
    long p2 = q.place2;
    long p3 = q.place3;
    for (int i = 0; i < count; i++) {
      m0.set(JAVA_LONG_UNALIGNED, p0 + p, block.get(JAVA_LONG_UNALIGNED, a0 + a));
      m1.set(JAVA_LONG_UNALIGNED, p1 + p, block.get(JAVA_LONG_UNALIGNED, a1 + a));
      m2.set(JAVA_LONG_UNALIGNED, p2 + p, block.get(JAVA_LONG_UNALIGNED, a2 + a));
      m3.set(JAVA_LONG_UNALIGNED, p3 + p, block.get(JAVA_LONG_UNALIGNED, a3 + a));
      a += stride;
      p += placeStride;
    }
  }

  /** The reverse of {@link #quadsOut}. */
  static void quadsIn(MemorySegment block, long stride, Quads q, long placeStride, int count) {
    MemorySegment m0 = q.memory0;
    MemorySegment m1 = q.memory1;
    MemorySegment m2 = q.memory2;
    MemorySegment m3 = q.memory3;
    long a = 0;
    long p = 0;
    long a0 = q.at0;
    long a1 = q.at1;
    long a2 = q.at2;
    long a3 = q.at3;
    long p0 = q.place0;
    long p1 = q.place1;
    long p2 = q.place2;
    long p3 = q.place3;
    for (int i = 0; i < count; i++) {
      block.set(JAVA_LONG_UNALIGNED, a0 + a, m0.get(JAVA_LONG_UNALIGNED, p0 + p));
      block.set(JAVA_LONG_UNALIGNED, a1 + a, m1.get(JAVA_LONG_UNALIGNED, p1 + p));
      block.set(JAVA_LONG_UNALIGNED, a2 + a, m2.get(JAVA_LONG_UNALIGNED, p2 + p));
      block.set(JAVA_LONG_UNALIGNED, a3 + a, m3.get(JAVA_LONG_UNALIGNED, p3 + p));
      a += stride;
      p += placeStride;
    }
  }
}
