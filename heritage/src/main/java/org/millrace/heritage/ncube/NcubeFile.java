package org.millrace.heritage.ncube;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.View;
import org.millrace.client.BufferAccess;
import org.millrace.client.SharedFile;

/**
 * An open file. With a mapping, positions are bytes of this processing element's part, and the
 * pointer is its own; without, positions are bytes of the file, and the pointer is common to all.
 * Counts are bytes. No access waits for others. Reads are short at the end of the file.
 *
 * <p>Belongs to the rank's thread. Closing makes the bytes durable; with the common pointer it
 * waits for all.
 */
public final class NcubeFile implements BufferAccess, AutoCloseable {

  private final SharedFile file;

  NcubeFile(SharedFile file) {
    this.file = file;
  }

  /** What this processing element sees of the file. */
  public View view() {
    return file.view();
  }

  /** Where the next access goes. */
  public long position() throws IOException {
    return file.position();
  }

  /** Moves the pointer: the processing element's own, or the common one for all. */
  public void seek(long position) throws IOException {
    file.seek(position);
  }

  /** Reads on. */
  @Override
  public long read(MemorySegment into) throws IOException {
    return file.read(into);
  }

  /** Writes on. */
  @Override
  public long write(MemorySegment from) throws IOException {
    return file.write(from);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
