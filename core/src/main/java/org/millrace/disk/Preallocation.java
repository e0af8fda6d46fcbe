package org.millrace.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Allocates space for a file without changing its size, by Linux's {@code fallocate}. Does nothing
 * if {@link NativeFile#isPossible} is false or the file system cannot. Stateless.
 */
final class Preallocation {

  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int ENOSPC = 28;
  private static final int EDQUOT = 122;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;
  private static final int EINTR = 4;

  private Preallocation() {}

  static void take(Path path, long size) throws IOException {
    if (size == 0 || !NativeFile.isPossible()) {
      return;
    }
    int error;
    try (NativeFile file = new NativeFile(path, NativeFile.O_RDWR)) {
      error = file.fallocate(FALLOC_FL_KEEP_SIZE, 0, size);
    }
    switch (error) {
      case 0, ENOSYS, EOPNOTSUPP, EINTR -> {}
      case ENOSPC, EDQUOT ->
          throw new DiskFullException(path + ": no room for " + size + " bytes (the disk is full)");
      default ->
          throw new MillraceException(
              ErrorCode.DISK, path + ": cannot preallocate " + size + " bytes: errno " + error);
    }
  }
}
