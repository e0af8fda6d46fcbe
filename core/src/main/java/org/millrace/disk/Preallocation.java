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
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Takes room for a file without changing its size, by Linux's {@code fallocate}. Does nothing on
 * other systems, where the file system cannot, or where the JVM was not started with {@code
 * --enable-native-access}: a warning on a user's terminal is too high a price for a hint.
 * Stateless.
 */
final class Preallocation {

  private static final int O_RDWR = 2;
  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int ENOSPC = 28;
  private static final int EDQUOT = 122;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;
  private static final int EINTR = 4;

  private Preallocation() {}

  static void take(Path path, long size) throws IOException {
    boolean possible =
        System.getProperty("os.name").equals("Linux")
            && Preallocation.class.getModule().isNativeAccessEnabled();
    if (!possible || size == 0) {
      return;
    }
    int error = fallocate(path, size);
    switch (error) {
      case 0, ENOSYS, EOPNOTSUPP, EINTR -> {}
      case ENOSPC, EDQUOT ->
          throw new DiskFullException(path + ": no room for " + size + " bytes (the disk is full)");
      default ->
          throw new MillraceException(
              ErrorCode.DISK, path + ": cannot preallocate " + size + " bytes: errno " + error);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle find(
      Linker linker, String name, FunctionDescriptor type, Linker.Option... options) {
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
  }

  /** The error number, 0 for success. */
  private static int fallocate(Path path, long size) {
    Linker linker = Linker.nativeLinker();
    MemoryLayout state = Linker.Option.captureStateLayout();
    Linker.Option errno = Linker.Option.captureCallState("errno");
    ValueLayout.OfInt i = ValueLayout.JAVA_INT;
    ValueLayout.OfLong l = ValueLayout.JAVA_LONG;
    MethodHandle open =
        find(
            linker,
            "open",
            FunctionDescriptor.of(i, ValueLayout.ADDRESS, i, i),
            errno,
            Linker.Option.firstVariadicArg(2));
    MethodHandle fallocate = find(linker, "fallocate", FunctionDescriptor.of(i, i, i, l, l), errno);
    MethodHandle close = find(linker, "close", FunctionDescriptor.of(i, i));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment saved = arena.allocate(state);
      int fd = (int) open.invokeExact(saved, arena.allocateFrom(path.toString()), O_RDWR, 0);
      int result =
          fd < 0 ? -1 : (int) fallocate.invokeExact(saved, fd, FALLOC_FL_KEEP_SIZE, 0L, size);
      int error =
          result == 0
              ? 0
              : saved.get(i, state.byteOffset(MemoryLayout.PathElement.groupElement("errno")));
      if (fd >= 0) {
        int ignored = (int) close.invokeExact(fd);
      }
      return error;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
