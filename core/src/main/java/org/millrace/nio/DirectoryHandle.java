package org.millrace.nio;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalLong;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FileStatus;

/**
 * A directory that a program has opened as if it were a file, to force it. Names are durable when
 * the call that changes them returns, so there is nothing to force. Immutable.
 *
 * @param status when it was opened
 */
record DirectoryHandle(FileStatus status) implements FileHandle {

  private static MillraceException refused() {
    return new MillraceException(
        ErrorCode.IS_DIRECTORY, "a directory has no bytes to read, write or lock");
  }

  @Override
  public long id() {
    return status.id();
  }

  @Override
  public long size() {
    return 0;
  }

  @Override
  public long read(long position, MemorySegment into) throws MillraceException {
    throw refused();
  }

  @Override
  public void write(long position, MemorySegment from) throws MillraceException {
    throw refused();
  }

  @Override
  public long append(MemorySegment from) throws MillraceException {
    throw refused();
  }

  @Override
  public void resize(long bytes) throws MillraceException {
    throw refused();
  }

  @Override
  public void reserve(long position, long bytes, boolean lengthen) throws MillraceException {
    throw refused();
  }

  @Override
  public OptionalLong nextData(long position) throws MillraceException {
    throw refused();
  }

  @Override
  public void force(boolean name) {}

  @Override
  public boolean lock(ByteLock lock, long waitNanos) throws MillraceException {
    throw refused();
  }

  @Override
  public Optional<ByteLock> conflict(ByteLock lock) throws MillraceException {
    throw refused();
  }

  @Override
  public void unlockAll(long owner) {}

  @Override
  public void close() {}
}
