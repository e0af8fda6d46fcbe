package org.millrace.heritage.bridge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;

/**
 * A file by its columns, for programs that know how it lies: what is in a column, and on which node
 * it is. From these any other access can be built, Vesta's, too.
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
    return file.layout().node(column);
  }

  /** Bytes of a column. */
  public long size(int column) throws IOException {
    return file.layout().strandSize(column, file.size());
  }

  /** A column as a view of the plain file. */
  public View view(int column) {
    if (column < 0 || column >= count()) {
      throw new IndexOutOfBoundsException("column " + column + " of " + count());
    }
    return new View(column * blockBytes(), Pattern.run(blockBytes()), file.layout().roundBytes());
  }

  /** Reads from a byte of a column on; short where the column ends. */
  public long read(int column, long offset, MemorySegment into) throws IOException {
    return file.through(view(column)).at(offset).read(Memory.of(into));
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
