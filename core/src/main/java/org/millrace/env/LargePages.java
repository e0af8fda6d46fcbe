package org.millrace.env;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * An arena for few and large allocations. What has at least a large page (2 MiB) begins at one, and
 * the kernel is asked to use large pages for it, which it may refuse. It is not touched: the JDK
 * fills memory with zeros, which on Linux means that the allocating thread waits for a fault for
 * each 4 KiB, and that all of it is there before any is needed. Smaller allocations are the usual
 * ones.
 *
 * <p>It must not be used if {@link #isPossible} is false. For one thread at a time; all may use the
 * memory. Closing gives it back.
 */
final class LargePages implements Arena {

  private static final long LARGE_BYTES = 2 << 20;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final int READ_WRITE = 0x1 | 0x2;

  /** MAP_PRIVATE, MAP_ANONYMOUS. */
  private static final int OF_ITS_OWN = 0x2 | 0x20;

  /** MADV_HUGEPAGE. */
  private static final int WANTS_LARGE = 14;

  private static final long FAILED = -1;

  private final Arena arena = Arena.ofShared();

  /** Whether this system has these calls and the JVM was started with native access. */
  static boolean isPossible() {
    return System.getProperty("os.name").equals("Linux")
        && LargePages.class.getModule().isNativeAccessEnabled();
  }

  @Override
  @SuppressWarnings("restricted")
  public MemorySegment allocate(long bytes, long alignment) {
    if (bytes < LARGE_BYTES || alignment > LARGE_BYTES) {
      return arena.allocate(bytes, alignment);
    }
    long all = bytes + LARGE_BYTES;
    long start = map(all);
    if (start == FAILED) {
      throw new OutOfMemoryError("cannot map " + all + " bytes");
    }
    long first = Math.ceilDiv(start, LARGE_BYTES) * LARGE_BYTES;
    advise(first, bytes);
    return MemorySegment.ofAddress(first).reinterpret(bytes, arena, _ -> unmap(start, all));
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    arena.close();
  }

  private static long map(long bytes) {
    FunctionDescriptor type = FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG);
    try {
      return (long) find("mmap", type).invokeExact(0L, bytes, READ_WRITE, OF_ITS_OWN, -1, 0L);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where the kernel has no large pages it refuses, which is no harm. */
  private static void advise(long start, long bytes) {
    FunctionDescriptor type = FunctionDescriptor.of(INT, LONG, LONG, INT);
    try {
      int ignored = (int) find("madvise", type).invokeExact(start, bytes, WANTS_LARGE);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void unmap(long start, long bytes) {
    FunctionDescriptor type = FunctionDescriptor.of(INT, LONG, LONG);
    try {
      int ignored = (int) find("munmap", type).invokeExact(start, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle find(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }
}
