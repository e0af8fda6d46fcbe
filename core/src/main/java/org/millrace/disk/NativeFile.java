package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A file opened through the C library of Linux, for calls that the JDK does not have. It must not
 * be used if {@link #isPossible} is false: the JVM would print a warning on the user's terminal.
 *
 * <p>For one thread. Closing closes the descriptor.
 */
final class NativeFile implements AutoCloseable {

  static final int O_RDONLY = 0;
  static final int O_RDWR = 2;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO =
      STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  // Constant after construction.
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment saved = arena.allocate(STATE);
  private final int descriptor;

  /** Opens a file with the flags of open(2). */
  NativeFile(Path path, int flags) throws IOException {
    FunctionDescriptor type = FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT, INT);
    MethodHandle open = find("open", type, Linker.Option.firstVariadicArg(2));
    try {
      descriptor = (int) open.invokeExact(saved, arena.allocateFrom(path.toString()), flags, 0);
    } catch (Throwable e) {
      arena.close();
      throw unexpected(e);
    }
    if (descriptor < 0) {
      int error = errno();
      arena.close();
      throw new MillraceException(ErrorCode.DISK, path + ": cannot open: errno " + error);
    }
  }

  /** Whether this system has these calls and the JVM was started with native access. */
  static boolean isPossible() {
    return System.getProperty("os.name").equals("Linux")
        && NativeFile.class.getModule().isNativeAccessEnabled();
  }

  @SuppressWarnings("restricted")
  private static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] all = new Linker.Option[options.length + 1];
    System.arraycopy(options, 0, all, 0, options.length);
    all[options.length] = Linker.Option.captureCallState("errno");
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, all);
  }

  private static IllegalStateException unexpected(Throwable e) {
    return new IllegalStateException(e);
  }

  private int errno() {
    return saved.get(INT, ERRNO);
  }

  /** The error number of fallocate(2), 0 for success. */
  int fallocate(int mode, long offset, long length) {
    MethodHandle call = find("fallocate", FunctionDescriptor.of(INT, INT, INT, LONG, LONG));
    try {
      int result = (int) call.invokeExact(saved, descriptor, mode, offset, length);
      return result == 0 ? 0 : errno();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The error number of ioctl(2) with memory as its argument, 0 for success. */
  int ioctl(long request, MemorySegment argument) {
    FunctionDescriptor type = FunctionDescriptor.of(INT, INT, LONG, ValueLayout.ADDRESS);
    MethodHandle call = find("ioctl", type, Linker.Option.firstVariadicArg(2));
    try {
      int result = (int) call.invokeExact(saved, descriptor, request, argument);
      return result >= 0 ? 0 : errno();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public void close() {
    MethodHandle close = find("close", FunctionDescriptor.of(INT, INT));
    try (arena) {
      int ignored = (int) close.invokeExact(saved, descriptor);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }
}
