package org.millrace.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An open file. It stays readable and writable when its name is removed or given to another file.
 *
 * <p>Safe for use by several threads, which may read and write at once. Each call is all or nothing
 * against others within one block; a completed write is visible to every later read of everybody.
 * Closing is idempotent, gives back this handle's locks by {@link #unlockAll}, and does not force;
 * what {@link #force} acknowledged is durable.
 */
public interface FileHandle extends AutoCloseable {

  /** The file's id. */
  long id();

  /**
   * Whether bytes that were read or written here may be kept by the holder that was given to {@link
   * FileTree#delegateTo}, because nobody else has the file open for writing.
   */
  default boolean isDelegated() {
    return false;
  }

  /** Attributes as they are now; the size counts every completed write. */
  FileStatus status() throws IOException;

  /**
   * Attributes as they are now or were when the file was opened, whichever takes less: of a file
   * that was made by the opening nobody need be asked.
   */
  default FileStatus statusSinceOpening() throws IOException {
    return status();
  }

  /** The size as it is now. */
  long size() throws IOException;

  /**
   * Reads as many bytes as there are up to the end of the file.
   *
   * @return how many; 0 at or behind the end
   */
  long read(long position, MemorySegment into) throws IOException;

  /** Writes all bytes. */
  void write(long position, MemorySegment from) throws IOException;

  /** Writes all bytes at the end of the file, in one step. Returns where. */
  long append(MemorySegment from) throws IOException;

  /** Cuts or lengthens the file. */
  void resize(long bytes) throws IOException;

  /** Gives room on disk to a range and makes the file at least as long as it, if asked. */
  void reserve(long position, long bytes, boolean lengthen) throws IOException;

  /** Where bytes begin that were written, at or behind a position; empty if there are none. */
  OptionalLong nextData(long position) throws IOException;

  /** Makes everything that was written to the file durable, by anybody, and its name, if asked. */
  void force(boolean name) throws IOException;

  /**
   * Makes what was written to a range durable, by anybody, and the name of the file. Nodes that
   * have nothing of the range are not asked: of a short file most.
   */
  default void force(long position, long length) throws IOException {
    force(true);
  }

  /**
   * Locks or gives back a range.
   *
   * @param waitNanos for how long others may keep it: 0 for not at all
   * @return whether it was done; false if others have kept it
   */
  boolean lock(ByteLock lock, long waitNanos) throws IOException;

  /** A lock of another owner that stands in the way, if there is one. */
  Optional<ByteLock> conflict(ByteLock lock) throws IOException;

  /** Gives back all locks of an owner on this file. */
  void unlockAll(long owner) throws IOException;

  @Override
  void close() throws IOException;
}
