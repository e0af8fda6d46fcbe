package org.millrace.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * Sleeping on a word of shared memory, and waking the sleepers: {@code futex(2)} of Linux, which
 * must not be used if {@link #isPossible} is false. A sleeping thread keeps its carrier, if it has
 * one. Stateless.
 */
final class Futex {

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final long WAIT = 0;
  private static final long WAKE = 1;
  private static final long ALL = Integer.MAX_VALUE;
  private static final long SECOND = 1_000_000_000L;

  private Futex() {}

  /** Looked for when it is first needed. */
  private static final class Call {
    static final MethodHandle SYSCALL = find();

    @SuppressWarnings("restricted")
    private static MethodHandle find() {
      Linker linker = Linker.nativeLinker();
      FunctionDescriptor type =
          FunctionDescriptor.of(
              LONG, LONG, ValueLayout.ADDRESS, LONG, LONG, ValueLayout.ADDRESS, LONG, LONG);
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow("syscall"), type, Linker.Option.firstVariadicArg(1));
    }
  }

  /** The number of the call on this kind of processor; 0 if it is not known. */
  private static final long NUMBER =
      switch (System.getProperty("os.arch")) {
        case "amd64", "x86_64" -> 202;
        case "aarch64" -> 98;
        default -> 0;
      };

  static boolean isPossible() {
    return NUMBER != 0
        && NativeMemory.isPossible()
        && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  }

  /**
   * Sleeps for {@code nanos} at most, unless the four bytes at {@code at} are not {@code value} any
   * more. Returns when it is woken, and sometimes spuriously.
   */
  static void sleepWhile(MemorySegment memory, long at, int value, long nanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(LONG, 2);
      limit.setAtIndex(LONG, 0, nanos / SECOND);
      limit.setAtIndex(LONG, 1, nanos % SECOND);
      call(memory.asSlice(at, Integer.BYTES), WAIT, value, limit);
    }
  }

  /** Wakes all sleepers on the four bytes at {@code at}. */
  static void wakeAll(MemorySegment memory, long at) {
    call(memory.asSlice(at, Integer.BYTES), WAKE, ALL, MemorySegment.NULL);
  }

  private static void call(MemorySegment word, long what, long value, MemorySegment limit) {
    try {
      long ignored = (long) Call.SYSCALL.invokeExact(NUMBER, word, what, value, limit, 0L, 0L);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
