package org.millrace.wire;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Off-heap memory that others can map, and the calls of Linux's C library that allocate it without
 * a name in any folder ({@code memfd_create(2)}, {@code fcntl(2)}, {@code fallocate(2)}, {@code
 * fchmod(2)}, {@code close(2)}). They must not be used if {@link #isPossible} is false. Stateless.
 */
final class NativeMemory {

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO =
      STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final int CLOSE_ON_EXEC = 1;
  private static final int ALLOW_SEALING = 2;
  private static final int ADD_SEALS = 1033;

  /** F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW: the size can never be changed. */
  private static final int SEALS = 0x1 | 0x2 | 0x4;

  /** FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE. */
  private static final int PUNCH = 0x1 | 0x2;

  private static final int OWNER_ONLY = 0600;

  private NativeMemory() {}

  /** Whether this system has these calls and the JVM was started with native access. */
  static boolean isPossible() {
    return System.getProperty("os.name").equals("Linux")
        && NativeMemory.class.getModule().isNativeAccessEnabled();
  }

  /**
   * Maps a file, as memory of the same kind as all other outside the heap, if that is possible. The
   * JDK has a class of its own for mapped memory; loops that meet both classes are compiled anew
   * when they meet the second, which takes the compiler fifty times as long as the first time.
   */
  @SuppressWarnings("restricted")
  static MemorySegment map(FileChannel channel, long bytes, Arena arena) throws IOException {
    MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
    return isPossible()
        ? MemorySegment.ofAddress(mapped.address()).reinterpret(bytes, arena, null)
        : mapped;
  }

  /** A descriptor of fresh memory that has all its pages, and a size that cannot be changed. */
  static int create(String name, long bytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment saved = arena.allocate(STATE);
      MethodHandle create =
          find("memfd_create", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT));
      int made;
      try {
        made =
            (int)
                create.invokeExact(saved, arena.allocateFrom(name), CLOSE_ON_EXEC | ALLOW_SEALING);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
      check(made, "memfd_create", saved);
      try {
        check(allocate(made, 0, bytes, saved), "fallocate", saved);
        check(seal(made, saved), "fcntl", saved);
        check(restrict(made, saved), "fchmod", saved);
      } catch (IOException e) {
        close(made);
        throw e;
      }
      return made;
    }
  }

  /** Gives the pages back, even if others map them: all of it is zero from now on. */
  static void punch(int descriptor, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      allocate(descriptor, PUNCH, bytes, arena.allocate(STATE));
    }
  }

  static void close(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MethodHandle close = find("close", FunctionDescriptor.of(INT, INT));
      int ignored = (int) close.invokeExact(arena.allocate(STATE), descriptor);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static int allocate(int descriptor, int mode, long bytes, MemorySegment saved) {
    MethodHandle call = find("fallocate", FunctionDescriptor.of(INT, INT, INT, LONG, LONG));
    try {
      return (int) call.invokeExact(saved, descriptor, mode, 0L, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static int seal(int descriptor, MemorySegment saved) {
    FunctionDescriptor type = FunctionDescriptor.of(INT, INT, INT, INT);
    MethodHandle call = find("fcntl", type, Linker.Option.firstVariadicArg(2));
    try {
      return (int) call.invokeExact(saved, descriptor, ADD_SEALS, SEALS);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static int restrict(int descriptor, MemorySegment saved) {
    MethodHandle call = find("fchmod", FunctionDescriptor.of(INT, INT, INT));
    try {
      return (int) call.invokeExact(saved, descriptor, OWNER_ONLY);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void check(int result, String call, MemorySegment saved) throws IOException {
    if (result < 0) {
      throw new MillraceException(
          ErrorCode.DISK_FULL, call + " of shared memory: errno " + saved.get(INT, ERRNO));
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] all = new Linker.Option[options.length + 1];
    System.arraycopy(options, 0, all, 0, options.length);
    all[options.length] = Linker.Option.captureCallState("errno");
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, all);
  }
}
