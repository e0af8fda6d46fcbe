package org.millrace.env;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Memory off the heap whose large pieces lie in large pages where Linux has them ({@code
 * madvise(2)}, transparent huge pages): touched for the first time they cost a fraction, and copies
 * that jump about miss the processor's table of pages less often. Small pieces, other systems and
 * JVMs without native access get the JDK's memory.
 *
 * <p>Safe for use by several threads. Closing gives everything back.
 */
final class LargePages implements Arena {

  /** Of a large page; pieces that are smaller have none. */
  static final long BYTES = 2 << 20;

  private static final long SMALL_BYTES = 4096;
  private static final long FAILED = -1;

  /** PROT_READ and PROT_WRITE; MAP_PRIVATE and MAP_ANONYMOUS; MADV_HUGEPAGE. */
  private static final int READ_WRITE = 0x3;

  private static final int OWN = 0x22;
  private static final int HUGE = 14;

  // constant after construction
  private final Arena arena = Arena.ofShared();

  /** The calls, made when somebody first needs them: that takes some milliseconds. */
  private static final class Calls {
    static final MethodHandle MAP =
        find(
            "mmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));
    static final MethodHandle ADVISE =
        find(
            "madvise",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT));
    static final MethodHandle UNMAP =
        find(
            "munmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    @SuppressWarnings("restricted")
    private static MethodHandle find(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }
  }

  /** An arena with large pages if this system and this JVM allow it, else the JDK's. */
  static Arena arena() {
    return isPossible() ? new LargePages() : Arena.ofShared();
  }

  private static boolean isPossible() {
    return System.getProperty("os.name").equals("Linux")
        && LargePages.class.getModule().isNativeAccessEnabled();
  }

  @Override
  public MemorySegment allocate(long bytes, long alignment) {
    if (bytes < BYTES || alignment > BYTES) {
      return arena.allocate(bytes, alignment);
    }
    long room = bytes + BYTES;
    long mapped = map(room);
    if (mapped == FAILED) {
      return arena.allocate(bytes, alignment); // says what is wrong
    }
    long start = (mapped + BYTES - 1) & -BYTES;
    advise(start, bytes);
    MemorySegment memory = own(mapped, room, start, bytes);
    // Now, not under somebody's lock later.
    for (long at = 0; at < bytes; at += SMALL_BYTES) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
    }
    return memory;
  }

  private static long map(long bytes) {
    try {
      return (long) Calls.MAP.invokeExact(0L, bytes, READ_WRITE, OWN, -1, 0L);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** A kernel that cannot goes on with small pages. */
  private static void advise(long address, long bytes) {
    try {
      int ignored = (int) Calls.ADVISE.invokeExact(address, bytes, HUGE);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("restricted")
  private MemorySegment own(long mapped, long room, long start, long bytes) {
    return MemorySegment.ofAddress(start).reinterpret(bytes, arena, _ -> unmap(mapped, room));
  }

  private static void unmap(long address, long bytes) {
    try {
      int ignored = (int) Calls.UNMAP.invokeExact(address, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    arena.close();
  }
}
