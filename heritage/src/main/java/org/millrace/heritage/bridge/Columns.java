package org.millrace.heritage.bridge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.BufferAccess;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;

/**
 * A file by its columns, for programs that know how it lies: what is in a column, and on which node
 * it is. From these any other access can be built, Vesta's, too.
 *
 * <p>Each column is a file of a local file system, with an end of its own: one past the highest of
 * its bytes that was written, by whichever way. A longer column does not lengthen the others; in
 * the sequential view what they lack reads as zeros.
 *
 * <p>Belongs to the rank's thread. Closing makes the bytes durable.
 */
public final class Columns implements AutoCloseable {

  // constant after construction
  private final LoneFile opened;
  private final SharedFile file;

  Columns(LoneFile opened) {
    this.opened = opened;
    this.file = opened.file();
  }

  /** How many local file systems, hence columns, the file has. */
  public int count() {
    return file.layout().strands();
  }

  /** Bytes of a block. */
  public long blockBytes() {
    return file.layout().stripeUnitBytes();
  }

  /** The node whose local file system has a column. */
  public int node(int column) {
    return file.layout().node(checkColumn(column));
  }

  /** Where a column ends, in bytes of it. */
  public long size(int column) throws IOException {
    return file.strandEnd(checkColumn(column));
  }

  /** A column as a view of the plain file. */
  public View view(int column) {
    return new View(
        checkColumn(column) * blockBytes(), Pattern.run(blockBytes()), file.layout().roundBytes());
  }

  private int checkColumn(int column) {
    if (column < 0 || column >= count()) {
      throw new IndexOutOfBoundsException("column " + column + " of " + count());
    }
    return column;
  }

  /** Accesses from a byte of a column on, with buffers of any kind; counts are bytes. */
  public BufferAccess at(int column, long offset) {
    return BufferAccess.of(into -> read(column, offset, into), from -> write(column, offset, from));
  }

  /** Reads from a byte of a column on; short where the column ends. */
  public long read(int column, long offset, MemorySegment into) throws IOException {
    var place = file.through(view(column)).at(offset);
    if (offset < 0) {
      return place.read(Memory.of(into)); // which says what is wrong
    }
    long count = Math.clamp(size(column) - offset, 0, into.byteSize());
    return place.read(Memory.of(into.asSlice(0, count)));
  }

  /** As {@link #read(int, long, MemorySegment)}. */
  public long read(int column, long offset, byte[] into) throws IOException {
    return read(column, offset, MemorySegment.ofArray(into));
  }

  /** Writes from a byte of a column on. */
  public long write(int column, long offset, MemorySegment from) throws IOException {
    return file.through(view(column)).at(offset).write(Memory.of(from));
  }

  /** As {@link #write(int, long, MemorySegment)}. */
  public long write(int column, long offset, byte[] from) throws IOException {
    return write(column, offset, MemorySegment.ofArray(from));
  }

  @Override
  public void close() throws IOException {
    opened.close();
  }
}
