package org.millrace.heritage.bridge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.client.SharedFile;

/**
 * A file as Unix knows it: bytes, a pointer, short reads at the end, each call atomic.
 *
 * <p>Belongs to the rank's thread. Closing makes the bytes durable.
 */
public final class SequentialFile implements AutoCloseable {

  // constant after construction
  private final LoneFile opened;
  private final SharedFile file;

  SequentialFile(LoneFile opened) {
    this.opened = opened;
    this.file = opened.file();
  }

  /** Reads on. */
  public long read(MemorySegment into) throws IOException {
    return file.read(into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Writes on. */
  public long write(MemorySegment from) throws IOException {
    return file.write(from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
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
