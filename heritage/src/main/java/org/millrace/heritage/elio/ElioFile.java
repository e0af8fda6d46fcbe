package org.millrace.heritage.elio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A file on some device, read and written at explicit offsets. A read stops at the end of the file.
 * Bytes before it that nobody wrote are zero. Requests may go on by themselves: their memory is
 * theirs until they are complete, and must be open to all threads.
 *
 * <p>Belongs to the rank's thread. Closing completes this rank's requests first, whose results wait
 * for {@link ElioRequest#await}; it is idempotent and not synchronizing. Any other call then fails
 * with CLOSED.
 */
public interface ElioFile extends AutoCloseable {

  /** Starts to read; the request gets the number of bytes that there were. */
  ElioRequest read(long offset, MemorySegment into) throws IOException;

  /** Starts to write all of it; the file grows if it must. */
  ElioRequest write(long offset, MemorySegment from) throws IOException;

  /** One past the highest byte that was written. */
  long size() throws IOException;

  /** Bytes that go to one disk before the next one's turn; 0 where the device knows none. */
  long stripeUnitBytes();

  @Override
  void close() throws IOException;
}
