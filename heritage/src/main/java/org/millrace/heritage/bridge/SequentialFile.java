package org.millrace.heritage.bridge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.client.BufferAccess;
import org.millrace.client.SharedFile;

/**
 * A file as Unix knows it: bytes, a pointer, short reads at the end, each call atomic. Counts are
 * bytes.
 *
 * <p>Belongs to the rank's thread. Closing makes the bytes durable.
 */
public final class SequentialFile implements BufferAccess, AutoCloseable {

  // constant after construction
  private final LoneFile opened;
  private final SharedFile file;

  SequentialFile(LoneFile opened) {
    this.opened = opened;
    this.file = opened.file();
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

  /** Moves the pointer. */
  public void seek(long position) throws IOException {
    file.seek(position);
  }

  /** Where the next access goes. */
  public long position() throws IOException {
    return file.position();
  }

  @Override
  public void close() throws IOException {
    opened.close();
  }
}
