package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One file of a {@link Disk}: positional, sparse, without a pointer. Bytes never written read as
 * zero. Written bytes are visible to reads at once and durable after {@link #force()}. Safe for use
 * by several threads.
 *
 * <p>Implementers: native segments need not be copied; heap segments may be. Failures as in {@link
 * Disk}.
 */
public interface DiskFile extends AutoCloseable {

  /** The file's name on its disk. */
  String name();

  /** Bytes from the start to the end of the file. */
  long size() throws IOException;

  /**
   * Fills {@code into} from {@code position} on and returns how many bytes there were: all of them,
   * or fewer where the file ends.
   */
  long read(long position, MemorySegment into) throws IOException;

  /**
   * As {@link #read(long, MemorySegment)}, into several segments one after the other, in one
   * transfer if it helps.
   */
  long read(long position, List<MemorySegment> into) throws IOException;

  /** Writes all of {@code from} at {@code position}, extending the file if needed. */
  void write(long position, MemorySegment from) throws IOException;

  /** Cuts or extends the file to {@code size} bytes. What an extension adds reads as zero. */
  void resize(long size) throws IOException;

  /**
   * Takes room for the bytes up to {@code size} without changing the file's size, if the
   * implementation can.
   */
  void preallocate(long size) throws IOException;

  /**
   * Where on the disk the bytes {@code [from, to)} lie: the stretches whose place is known, in the
   * order of the file, without overlaps. Bytes that are in none of them have no place yet, or the
   * disk does not tell.
   */
  default List<DiskExtent> placements(long from, long to) throws IOException {
    return List.of();
  }

  /**
   * Returns after all bytes written so far, and the size, are durable. A failure is final: every
   * later force of this open file fails, too, because the system may have dropped what it could not
   * write.
   */
  void force() throws IOException;

  /** Closes the file. Idempotent. Does not make anything durable. */
  @Override
  void close() throws IOException;
}
