package org.millrace.client;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * Reads and writes of a shared file at one place: at a position, at a pointer, through a view, by
 * one rank or by all ranks. {@link SharedFile} returns one for each kind of place, and is itself
 * the one at the pointer of its mode.
 *
 * <p>Each call returns the number of bytes transferred: all of them or, when reading at the end of
 * the file, fewer. The rest of the memory is not touched.
 *
 * <p>The asynchronous calls take their place (move their pointer) before they return, so that calls
 * follow each other in order of issue. A thread of the operation then transfers the bytes and
 * completes the future with their number or with the error. If the limit of concurrent operations
 * is reached, a call first waits for one of them to end. The memory belongs to the operation until
 * its future is complete; memory of a confined arena is refused.
 */
public sealed interface DataAccess
    permits FileAccess, PointerAccess, SharedFile, TransactionAccess {

  /** Reads; returns fewer bytes than the memory has at the end of the file. */
  long read(Memory into) throws IOException;

  /** Writes; returns how many bytes the memory has. */
  long write(Memory from) throws IOException;

  /** As {@link #read(Memory)}; does not wait. */
  CompletableFuture<Long> readAsync(Memory into) throws IOException;

  /** As {@link #write(Memory)}; does not wait. */
  CompletableFuture<Long> writeAsync(Memory from) throws IOException;

  /** As {@link #read(Memory)}, into a whole segment. */
  default long read(MemorySegment into) throws IOException {
    return read(Memory.of(into));
  }

  /** As {@link #write(Memory)}, from a whole segment. */
  default long write(MemorySegment from) throws IOException {
    return write(Memory.of(from));
  }

  /** As {@link #readAsync(Memory)}, into a whole segment. */
  default CompletableFuture<Long> readAsync(MemorySegment into) throws IOException {
    return readAsync(Memory.of(into));
  }

  /** As {@link #writeAsync(Memory)}, from a whole segment. */
  default CompletableFuture<Long> writeAsync(MemorySegment from) throws IOException {
    return writeAsync(Memory.of(from));
  }

  /**
   * Reads until the memory is full.
   *
   * @throws EOFException if the file ends before; a pointer has moved by the bytes that were read
   */
  default void readFully(Memory into) throws IOException {
    long moved = read(into);
    if (moved < into.length()) {
      throw new EOFException(
          "the file ends after %s of %s bytes that were to be read"
              .formatted(moved, into.length()));
    }
  }

  /** As {@link #readFully(Memory)}, into a whole segment. */
  default void readFully(MemorySegment into) throws IOException {
    readFully(Memory.of(into));
  }
}
