package org.millrace.access.copy;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The loops of {@link Kernels} between arrays and memory outside the heap: any words of byte
 * arrays, and the elements of the arrays of longs, doubles, ints and floats. No state.
 */
final class HeapLoops {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());

  private HeapLoops() {}

  /**
   * Copies {@code count} words of 1, 2, 4 or 8 bytes. False, and nothing done, if there is no loop
   * for the memory.
   */
  static boolean tryWords(
      int bytes,
      MemorySegment source,
      long sourceAt,
      long sourceStride,
      MemorySegment target,
      long targetAt,
      long targetStride,
      int count) {
    if (source.isNative()) {
      return tryOut(bytes, source, sourceAt, sourceStride, target, targetAt, targetStride, count);
    }
    return target.isNative()
        && tryIn(bytes, source, sourceAt, sourceStride, target, targetAt, targetStride, count);
  }

  private static boolean tryOut(
      int bytes,
      MemorySegment source,
      long from,
      long step,
      MemorySegment target,
      long to,
      long by,
      int n) {
    Object array = target.heapBase().orElse(null); // none if it is read-only
    if (array instanceof byte[] b) {
      outBytes(bytes, source, from, step, b, (int) (target.address() + to), (int) by, n);
      return true;
    }
    int first = element(bytes, target.address() + to, by);
    if (first < 0) {
      return false;
    }
    int skip = (int) (by / bytes);
    if (bytes == Long.BYTES && array instanceof double[] d) {
      outDoubles(source, from, step, d, first, skip, n);
    } else if (bytes == Long.BYTES && array instanceof long[] l) {
      outLongs(source, from, step, l, first, skip, n);
    } else if (bytes == Integer.BYTES && array instanceof float[] f) {
      outFloats(source, from, step, f, first, skip, n);
    } else if (bytes == Integer.BYTES && array instanceof int[] i) {
      outInts(source, from, step, i, first, skip, n);
    } else {
      return false;
    }
    return true;
  }

  private static boolean tryIn(
      int bytes,
      MemorySegment source,
      long from,
      long step,
      MemorySegment target,
      long to,
      long by,
      int n) {
    Object array = source.heapBase().orElse(null);
    if (array instanceof byte[] b) {
      inBytes(bytes, b, (int) (source.address() + from), (int) step, target, to, by, n);
      return true;
    }
    int first = element(bytes, source.address() + from, step);
    if (first < 0) {
      return false;
    }
    int skip = (int) (step / bytes);
    if (bytes == Long.BYTES && array instanceof double[] d) {
      inDoubles(d, first, skip, target, to, by, n);
    } else if (bytes == Long.BYTES && array instanceof long[] l) {
      inLongs(l, first, skip, target, to, by, n);
    } else if (bytes == Integer.BYTES && array instanceof float[] f) {
      inFloats(f, first, skip, target, to, by, n);
    } else if (bytes == Integer.BYTES && array instanceof int[] i) {
      inInts(i, first, skip, target, to, by, n);
    } else {
      return false;
    }
    return true;
  }

  /** The index of the element at {@code at}, or -1 if words are not elements. */
  private static int element(int bytes, long at, long stride) {
    return at % bytes == 0 && stride % bytes == 0 ? (int) (at / bytes) : -1;
  }

  private static void outBytes(
      int bytes, MemorySegment source, long from, long step, byte[] b, int to, int by, int n) {
    long s = from;
    int t = to;
    switch (bytes) {
      case Long.BYTES -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          LONGS.set(b, t, source.get(JAVA_LONG_UNALIGNED, s));
        }
      }
      case Integer.BYTES -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          INTS.set(b, t, source.get(JAVA_INT_UNALIGNED, s));
        }
      }
      case Short.BYTES -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          SHORTS.set(b, t, source.get(JAVA_SHORT_UNALIGNED, s));
        }
      }
      default -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          b[t] = source.get(JAVA_BYTE, s);
        }
      }
    }
  }

  private static void inBytes(
      int bytes, byte[] b, int from, int step, MemorySegment target, long to, long by, int n) {
    int s = from;
    long t = to;
    switch (bytes) {
      case Long.BYTES -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          target.set(JAVA_LONG_UNALIGNED, t, (long) LONGS.get(b, s));
        }
      }
      case Integer.BYTES -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          target.set(JAVA_INT_UNALIGNED, t, (int) INTS.get(b, s));
        }
      }
      case Short.BYTES -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          target.set(JAVA_SHORT_UNALIGNED, t, (short) SHORTS.get(b, s));
        }
      }
      default -> {
        for (int i = 0; i < n; i++, s += step, t += by) {
          target.set(JAVA_BYTE, t, b[s]);
        }
      }
    }
  }

  private static void outDoubles(
      MemorySegment source, long from, long step, double[] array, int first, int skip, int n) {
    long s = from;
    int t = first;
    for (int i = 0; i < n; i++, s += step, t += skip) {
      array[t] = source.get(JAVA_DOUBLE_UNALIGNED, s);
    }
  }

  private static void inDoubles(
      double[] array, int first, int skip, MemorySegment target, long to, long by, int n) {
    int s = first;
    long t = to;
    for (int i = 0; i < n; i++, s += skip, t += by) {
      target.set(JAVA_DOUBLE_UNALIGNED, t, array[s]);
    }
  }

  private static void outLongs(
      MemorySegment source, long from, long step, long[] array, int first, int skip, int n) {
    long s = from;
    int t = first;
    for (int i = 0; i < n; i++, s += step, t += skip) {
      array[t] = source.get(JAVA_LONG_UNALIGNED, s);
    }
  }

  private static void inLongs(
      long[] array, int first, int skip, MemorySegment target, long to, long by, int n) {
    int s = first;
    long t = to;
    for (int i = 0; i < n; i++, s += skip, t += by) {
      target.set(JAVA_LONG_UNALIGNED, t, array[s]);
    }
  }

  private static void outFloats(
      MemorySegment source, long from, long step, float[] array, int first, int skip, int n) {
    long s = from;
    int t = first;
    for (int i = 0; i < n; i++, s += step, t += skip) {
      array[t] = source.get(JAVA_FLOAT_UNALIGNED, s);
    }
  }

  private static void inFloats(
      float[] array, int first, int skip, MemorySegment target, long to, long by, int n) {
    int s = first;
    long t = to;
    for (int i = 0; i < n; i++, s += skip, t += by) {
      target.set(JAVA_FLOAT_UNALIGNED, t, array[s]);
    }
  }

  private static void outInts(
      MemorySegment source, long from, long step, int[] array, int first, int skip, int n) {
    long s = from;
    int t = first;
    for (int i = 0; i < n; i++, s += step, t += skip) {
      array[t] = source.get(JAVA_INT_UNALIGNED, s);
    }
  }

  private static void inInts(
      int[] array, int first, int skip, MemorySegment target, long to, long by, int n) {
    int s = first;
    long t = to;
    for (int i = 0; i < n; i++, s += skip, t += by) {
      target.set(JAVA_INT_UNALIGNED, t, array[s]);
    }
  }
}
