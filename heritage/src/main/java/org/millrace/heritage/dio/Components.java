package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The component files of a registration, by home processor. Numbers of processors were checked.
 *
 * <p>Belongs to the rank's thread; operations complete on others. Closing waits for this rank's.
 */
sealed interface Components permits NodeComponents, LocalComponents {

  /** How many there are. */
  int count();

  /** One past the last byte of a component. */
  long size(int proc) throws IOException;

  /** Starts to read; completed with the bytes there were before the component's end. */
  CompletableFuture<Long> read(int proc, long offset, List<MemorySegment> into) throws IOException;

  /** Starts to write. */
  CompletableFuture<Long> write(int proc, long offset, List<MemorySegment> from) throws IOException;

  /** Makes a component at least so long, and writes over nothing. */
  void extend(int proc, long size) throws IOException;

  /** Whether they were closed. */
  boolean isClosed();

  /** Makes what was written durable and closes them. Idempotent. */
  void close() throws IOException;
}
