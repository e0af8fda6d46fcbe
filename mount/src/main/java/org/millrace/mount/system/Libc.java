package org.millrace.mount.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls of the C library of Linux. Each returns what the call does, or the negative error number.
 *
 * <p>For one thread at a time: the error number is left in memory that belongs to the instance.
 */
public final class Libc {

  /** Opens for reading and writing, not for children. */
  public static final int READ_WRITE_CLOEXEC = 2 | 0x80000;

  /** Detaches a mount point even though it is in use. */
  public static final int DETACH = 2;

  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO =
      STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle OPEN =
      find("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), 2);
  private static final MethodHandle CLOSE =
      find("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle READ =
      find("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle WRITE =
      find("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle IOCTL =
      find("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), 2);
  private static final MethodHandle MOUNT =
      find("mount", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
  private static final MethodHandle UMOUNT =
      find("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle GETUID = find("geteuid", FunctionDescriptor.of(JAVA_INT));
  private static final MethodHandle GETGID = find("getegid", FunctionDescriptor.of(JAVA_INT));
  private static final MethodHandle SOCKETPAIR =
      find("socketpair", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle RECVMSG =
      find("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

  private final MemorySegment saved = Arena.ofAuto().allocate(STATE);

  /** For the calling thread. */
  public Libc() {}

  /** Whether this is Linux and the JVM was started with native access. */
  public static boolean isPossible() {
    return System.getProperty("os.name").equals("Linux")
        && Libc.class.getModule().isNativeAccessEnabled();
  }

  /** open(2). */
  public int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return result((int) OPEN.invokeExact(saved, arena.allocateFrom(path), flags, 0));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** close(2). */
  public int close(int descriptor) {
    try {
      return result((int) CLOSE.invokeExact(saved, descriptor));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** read(2). */
  public long read(int descriptor, MemorySegment into, long bytes) {
    try {
      return result((long) READ.invokeExact(saved, descriptor, into, bytes));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** write(2). */
  public long write(int descriptor, MemorySegment from, long bytes) {
    try {
      return result((long) WRITE.invokeExact(saved, descriptor, from, bytes));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ioctl(2) with a pointer. */
  public int ioctl(int descriptor, long request, MemorySegment argument) {
    try {
      return result((int) IOCTL.invokeExact(saved, descriptor, request, argument));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** mount(2). */
  public int mount(String source, String target, String type, long flags, String options) {
    try (Arena arena = Arena.ofConfined()) {
      return result(
          (int)
              MOUNT.invokeExact(
                  saved,
                  arena.allocateFrom(source),
                  arena.allocateFrom(target),
                  arena.allocateFrom(type),
                  flags,
                  arena.allocateFrom(options)));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** umount2(2). */
  public int umount(String target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return result((int) UMOUNT.invokeExact(saved, arena.allocateFrom(target), flags));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The number of the user that this process acts for. */
  public int user() {
    try {
      return (int) GETUID.invokeExact(saved);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The number of the group that this process acts for. */
  public int group() {
    try {
      return (int) GETGID.invokeExact(saved);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** socketpair(2) of local sockets; two descriptors are put into {@code pair}. */
  public int socketPair(int type, MemorySegment pair) {
    try {
      return result((int) SOCKETPAIR.invokeExact(saved, 1, type, 0, pair));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** recvmsg(2). */
  public long receive(int descriptor, MemorySegment message, int flags) {
    try {
      return result((long) RECVMSG.invokeExact(saved, descriptor, message, flags));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private int result(int value) {
    return value < 0 ? -saved.get(JAVA_INT, ERRNO) : value;
  }

  private long result(long value) {
    return value < 0 ? -saved.get(JAVA_INT, ERRNO) : value;
  }

  static MethodHandle find(String name, FunctionDescriptor type) {
    return bind(name, type, Linker.Option.captureCallState("errno"));
  }

  private static MethodHandle find(String name, FunctionDescriptor type, int fixedArguments) {
    return bind(
        name,
        type,
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(fixedArguments));
  }

  @SuppressWarnings("restricted")
  private static MethodHandle bind(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
  }

  static IllegalStateException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException(e);
  }
}
