package org.millrace.server;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/**
 * A file that no other request changes or replaces, of this server or another one: all of its bytes
 * are locked, and it is certain that the path leads to it. Everything that changes files here takes
 * this lock, which makes conditions exact.
 *
 * <p>Used by one thread. Closing gives the lock back.
 */
final class Locked implements AutoCloseable {

  private static final long WAIT_NANOS = 10_000_000_000L;

  /** Owners within this process; those of others are others anyway. */
  private static final AtomicLong OWNERS = new AtomicLong();

  private final FileHandle file;
  private final FileStatus status;

  private Locked(FileHandle file, FileStatus status) {
    this.file = file;
    this.status = status;
  }

  /** The file at a path; empty if there is none, or if it is a directory. */
  static Optional<Locked> at(FileTree tree, FilePath path) throws IOException {
    while (true) {
      FileHandle file;
      try {
        file = tree.open(path, Set.of(Opening.READ, Opening.WRITE), NewFile.with(0));
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.NO_SUCH_NAME || e.code() == ErrorCode.IS_DIRECTORY) {
          return Optional.empty();
        }
        throw e;
      }
      Optional<Locked> locked = Optional.empty();
      try {
        locked = lock(tree, path, file);
        if (locked.isPresent()) {
          return locked;
        } // else it was replaced meanwhile
      } finally {
        if (locked.isEmpty()) {
          file.close();
        }
      }
    }
  }

  private static Optional<Locked> lock(FileTree tree, FilePath path, FileHandle file)
      throws IOException {
    ByteLock all =
        new ByteLock(OWNERS.incrementAndGet(), 0, ByteLock.TO_THE_END, ByteLock.Kind.EXCLUSIVE);
    if (!file.lock(all, WAIT_NANOS)) {
      throw new MillraceException(ErrorCode.LOCKED, path + " is locked by others; try again later");
    }
    try {
      FileStatus now = tree.stat(path);
      return now.id() == file.id() ? Optional.of(new Locked(file, now)) : Optional.empty();
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The file. */
  FileHandle file() {
    return file;
  }

  /** What it was when it was locked. */
  FileStatus status() {
    return status;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
