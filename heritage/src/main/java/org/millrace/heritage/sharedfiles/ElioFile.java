package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * ELIO's seam: a file on some device, read and written at explicit offsets by operations that go on
 * by themselves. A read stops at the end of the file.
 *
 * <p>Belongs to the rank's thread; operations complete on others.
 */
sealed interface ElioFile permits StrandFile, PathFile {

  /** Starts to read; the future gets the number of bytes that there were. */
  CompletableFuture<Long> read(long offset, MemorySegment into) throws IOException;

  /** Starts to write all of it. */
  CompletableFuture<Long> write(long offset, MemorySegment from) throws IOException;

  /** One past the highest byte that was written. */
  long size() throws IOException;

  /** Bytes of one stripe; 0 where the device knows none. */
  long stripeUnitBytes();

  /** Waits for this rank's operations and closes the file, on this rank. Idempotent. */
  void close() throws IOException;

  /** Removes the file, which every rank has closed. For one rank. */
  void remove() throws IOException;
}
