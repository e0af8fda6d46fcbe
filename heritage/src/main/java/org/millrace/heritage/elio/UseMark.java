package org.millrace.heritage.elio;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;

/**
 * Says that a plain file is open: each opener locks a byte of its own, far behind every file's end.
 * The system takes the locks of a process back when it ends, so none outlives its owner.
 *
 * <p>Unix takes all locks of a process on a file back when the process closes the file once: ranks
 * in other processes then no longer see the marks of ranks that still have it open; ranks of the
 * same process do. Where a file system has no locks nobody is warned.
 *
 * <p>For one thread.
 */
final class UseMark {

  private static final long FIRST = 1L << 62;
  private static final long PLACES = 1L << 40;

  private final @Nullable FileLock lock;

  private UseMark(@Nullable FileLock lock) {
    this.lock = lock;
  }

  /** Marks a file as open. Waits while somebody looks whether it is. */
  static UseMark take(FileChannel channel) {
    RandomGenerator random = Env.real().random("use mark");
    while (true) {
      try {
        return new UseMark(channel.lock(FIRST + random.nextLong(PLACES), 1, true));
      } catch (OverlappingFileLockException e) {
        Thread.onSpinWait(); // the same byte by chance, or somebody of this JVM who looks
      } catch (IOException e) {
        return new UseMark(null); // no locks there
      }
    }
  }

  /** Whether anybody has a file open. */
  static boolean isTaken(Path path) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return isLocked(channel);
    }
  }

  private static boolean isLocked(FileChannel channel) {
    try (FileLock all = channel.tryLock(FIRST, PLACES, false)) {
      return all == null;
    } catch (OverlappingFileLockException e) {
      return true; // by somebody of this JVM
    } catch (IOException e) {
      return false; // no locks there
    }
  }

  void release() throws IOException {
    if (lock != null) {
      lock.release();
    }
  }
}
