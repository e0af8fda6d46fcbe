package org.millrace.heritage.crockett;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.View;
import org.millrace.client.BufferAccess;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * An open parallel file. Accesses are of whole records and wait for nobody: the sequential
 * organizations take the process's next ones, the direct ones bring the number of the first. Memory
 * that is no multiple of the record throws {@link IllegalArgumentException}, the wrong kind of
 * access {@link IllegalStateException}; nothing has moved then.
 *
 * <p>Each access returns how many bytes moved. Reads are short at the end of the file or of the
 * process's partition; only a file that was made elsewhere can end within a record.
 *
 * <p>Belongs to the rank's thread. Closing makes the bytes durable; it waits for all processes if
 * the file is self-scheduled or specialized.
 */
public final class ParallelFile implements BufferAccess, AutoCloseable {

  // constant after construction
  private final Rank group;
  private final SharedFile file;
  private final Form form;
  private final Organization organization;
  private final long partBytes;
  private final boolean endsItsGroup;

  /**
   * A file that a group has open.
   *
   * @param endsItsGroup whether the group is this file's alone, and is left when it is closed
   */
  ParallelFile(
      Rank group,
      SharedFile file,
      Form form,
      Organization organization,
      long partBytes,
      boolean endsItsGroup) {
    this.group = group;
    this.file = file;
    this.form = form;
    this.organization = organization;
    this.partBytes = partBytes;
    this.endsItsGroup = endsItsGroup;
  }

  /** What this process sees of the plain file; a partition's end is not part of it. */
  public View view() {
    return file.view();
  }

  /** How many of its records the process has passed; if self-scheduled, how many all have. */
  public long position() throws IOException {
    return file.position() / form.recordBytes();
  }

  /** Reads the next records. */
  @Override
  public long read(MemorySegment into) throws IOException {
    checkSequential(into.byteSize());
    long left = Math.max(0, partBytes - (partBytes == Long.MAX_VALUE ? 0 : file.position()));
    return file.read(into.asSlice(0, Math.min(left, into.byteSize())));
  }

  /**
   * Writes the next records.
   *
   * @throws CrockettException if they do not fit into the process's partition
   */
  @Override
  public long write(MemorySegment from) throws IOException {
    checkSequential(from.byteSize());
    if (partBytes < Long.MAX_VALUE && from.byteSize() > partBytes - file.position()) {
      throw new CrockettException(
          "%s bytes at %s of a partition of %s"
              .formatted(from.byteSize(), file.position(), partBytes));
    }
    return file.write(from);
  }

  /** Accesses from a record on, with buffers of any kind; of a direct access file. */
  public BufferAccess at(long record) {
    return BufferAccess.of(into -> read(record, into), from -> write(record, from));
  }

  /**
   * Reads from a record on.
   *
   * @throws CrockettException if a record lies in another process's block
   */
  public long read(long record, MemorySegment into) throws IOException {
    return file.at(checkDirect(record, into.byteSize())).read(into);
  }

  /** As {@link #read(long, MemorySegment)}. */
  public long read(long record, byte[] into) throws IOException {
    return read(record, MemorySegment.ofArray(into));
  }

  /**
   * Writes from a record on.
   *
   * @throws CrockettException if a record lies in another process's block
   */
  public long write(long record, MemorySegment from) throws IOException {
    return file.at(checkDirect(record, from.byteSize())).write(from);
  }

  /** As {@link #write(long, MemorySegment)}. */
  public long write(long record, byte[] from) throws IOException {
    return write(record, MemorySegment.ofArray(from));
  }

  private void checkSequential(long bytes) throws CrockettException {
    if (organization.isDirect()) {
      throw new IllegalStateException("a " + organization + " file has no next record");
    }
    checkWhole(bytes);
    if (organization == Organization.SEQUENTIAL && group.number() != 0) {
      throw new CrockettException(
          "process " + group.number() + " accesses a file that is process 0's alone");
    }
  }

  /** Where a record is. */
  private long checkDirect(long record, long bytes) throws CrockettException {
    if (!organization.isDirect()) {
      throw new IllegalStateException("a " + organization + " file has no numbered records");
    }
    checkWhole(bytes);
    if (record < 0) {
      throw new IllegalArgumentException("record " + record + " is negative");
    }
    long offset = Math.multiplyExact(record, form.recordBytes());
    long last = Math.addExact(record, Math.max(1, bytes / form.recordBytes()) - 1);
    if (organization == Organization.PARTITIONED_DIRECT) {
      long firstBlock = record / form.recordsPerBlock();
      long lastBlock = last / form.recordsPerBlock();
      boolean one = group.size() == 1 || firstBlock == lastBlock;
      if (!one || firstBlock % group.size() != group.number()) {
        throw new CrockettException(
            "records %s to %s lie in blocks %s to %s, not all of process %s of %s"
                .formatted(record, last, firstBlock, lastBlock, group.number(), group.size()));
      }
    }
    return offset;
  }

  private void checkWhole(long bytes) {
    if (bytes % form.recordBytes() != 0) {
      throw new IllegalArgumentException(
          bytes + " bytes are not whole records of " + form.recordBytes());
    }
  }

  @Override
  public void close() throws IOException {
    if (file.isClosed()) {
      return;
    }
    try {
      file.close();
    } finally {
      if (endsItsGroup && file.isClosed()) {
        group.leave("");
      }
    }
  }
}
