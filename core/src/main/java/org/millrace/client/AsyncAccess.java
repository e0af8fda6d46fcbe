package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The verbs of {@link BlockingAccess} as asynchronous calls. A call takes its place (moves its
 * pointer on) before it returns, so that calls follow each other in order of issue, and then goes
 * on by itself on a thread of its own, which also completes the future with the number of bytes
 * moved or with the error. When as many operations are under way as the session allows, a call
 * first waits for one of them to end.
 *
 * <p>The memory belongs to the operation until its future is complete; memory of a confined arena
 * is refused.
 */
public interface AsyncAccess {

  /** As {@link BlockingAccess#readAt(long, List)}. */
  CompletableFuture<Long> readAtAsync(long position, Memory into) throws IOException;

  /** As {@link #readAtAsync(long, Memory)}, several segments one after the other. */
  default CompletableFuture<Long> readAtAsync(long position, List<MemorySegment> into)
      throws IOException {
    return readAtAsync(position, Memory.of(into));
  }

  /** As {@link BlockingAccess#readAt(long, MemorySegment)}. */
  default CompletableFuture<Long> readAtAsync(long position, MemorySegment into)
      throws IOException {
    return readAtAsync(position, List.of(into));
  }

  /** As {@link BlockingAccess#readAt(long, byte[])}. */
  default CompletableFuture<Long> readAtAsync(long position, byte[] into) throws IOException {
    return readAtAsync(position, MemorySegment.ofArray(into));
  }

  /** As {@link BlockingAccess#writeAt(long, List)}. */
  CompletableFuture<Long> writeAtAsync(long position, Memory from) throws IOException;

  /** As {@link #writeAtAsync(long, Memory)}, several segments one after the other. */
  default CompletableFuture<Long> writeAtAsync(long position, List<MemorySegment> from)
      throws IOException {
    return writeAtAsync(position, Memory.of(from));
  }

  /** As {@link BlockingAccess#writeAt(long, MemorySegment)}. */
  default CompletableFuture<Long> writeAtAsync(long position, MemorySegment from)
      throws IOException {
    return writeAtAsync(position, List.of(from));
  }

  /** As {@link BlockingAccess#writeAt(long, byte[])}. */
  default CompletableFuture<Long> writeAtAsync(long position, byte[] from) throws IOException {
    return writeAtAsync(position, MemorySegment.ofArray(from));
  }

  /** As {@link BlockingAccess#read(List)}. */
  CompletableFuture<Long> readAsync(Memory into) throws IOException;

  /** As {@link #readAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> readAsync(List<MemorySegment> into) throws IOException {
    return readAsync(Memory.of(into));
  }

  /** As {@link BlockingAccess#read(MemorySegment)}. */
  default CompletableFuture<Long> readAsync(MemorySegment into) throws IOException {
    return readAsync(List.of(into));
  }

  /** As {@link BlockingAccess#read(byte[])}. */
  default CompletableFuture<Long> readAsync(byte[] into) throws IOException {
    return readAsync(MemorySegment.ofArray(into));
  }

  /** As {@link BlockingAccess#write(List)}. */
  CompletableFuture<Long> writeAsync(Memory from) throws IOException;

  /** As {@link #writeAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> writeAsync(List<MemorySegment> from) throws IOException {
    return writeAsync(Memory.of(from));
  }

  /** As {@link BlockingAccess#write(MemorySegment)}. */
  default CompletableFuture<Long> writeAsync(MemorySegment from) throws IOException {
    return writeAsync(List.of(from));
  }

  /** As {@link BlockingAccess#write(byte[])}. */
  default CompletableFuture<Long> writeAsync(byte[] from) throws IOException {
    return writeAsync(MemorySegment.ofArray(from));
  }

  /** As {@link BlockingAccess#readShared(List)}. */
  CompletableFuture<Long> readSharedAsync(Memory into) throws IOException;

  /** As {@link #readSharedAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> readSharedAsync(List<MemorySegment> into) throws IOException {
    return readSharedAsync(Memory.of(into));
  }

  /** As {@link BlockingAccess#readShared(MemorySegment)}. */
  default CompletableFuture<Long> readSharedAsync(MemorySegment into) throws IOException {
    return readSharedAsync(List.of(into));
  }

  /** As {@link BlockingAccess#readShared(byte[])}. */
  default CompletableFuture<Long> readSharedAsync(byte[] into) throws IOException {
    return readSharedAsync(MemorySegment.ofArray(into));
  }

  /** As {@link BlockingAccess#writeShared(List)}. */
  CompletableFuture<Long> writeSharedAsync(Memory from) throws IOException;

  /** As {@link #writeSharedAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> writeSharedAsync(List<MemorySegment> from) throws IOException {
    return writeSharedAsync(Memory.of(from));
  }

  /** As {@link BlockingAccess#writeShared(MemorySegment)}. */
  default CompletableFuture<Long> writeSharedAsync(MemorySegment from) throws IOException {
    return writeSharedAsync(List.of(from));
  }

  /** As {@link BlockingAccess#writeShared(byte[])}. */
  default CompletableFuture<Long> writeSharedAsync(byte[] from) throws IOException {
    return writeSharedAsync(MemorySegment.ofArray(from));
  }

  /** As {@link BlockingAccess#readOrdered(List)}. */
  CompletableFuture<Long> readOrderedAsync(Memory into) throws IOException;

  /** As {@link #readOrderedAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> readOrderedAsync(List<MemorySegment> into) throws IOException {
    return readOrderedAsync(Memory.of(into));
  }

  /** As {@link BlockingAccess#readOrdered(MemorySegment)}. */
  default CompletableFuture<Long> readOrderedAsync(MemorySegment into) throws IOException {
    return readOrderedAsync(List.of(into));
  }

  /** As {@link BlockingAccess#readOrdered(byte[])}. */
  default CompletableFuture<Long> readOrderedAsync(byte[] into) throws IOException {
    return readOrderedAsync(MemorySegment.ofArray(into));
  }

  /** As {@link BlockingAccess#writeOrdered(List)}. */
  CompletableFuture<Long> writeOrderedAsync(Memory from) throws IOException;

  /** As {@link #writeOrderedAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> writeOrderedAsync(List<MemorySegment> from) throws IOException {
    return writeOrderedAsync(Memory.of(from));
  }

  /** As {@link BlockingAccess#writeOrdered(MemorySegment)}. */
  default CompletableFuture<Long> writeOrderedAsync(MemorySegment from) throws IOException {
    return writeOrderedAsync(List.of(from));
  }

  /** As {@link BlockingAccess#writeOrdered(byte[])}. */
  default CompletableFuture<Long> writeOrderedAsync(byte[] from) throws IOException {
    return writeOrderedAsync(MemorySegment.ofArray(from));
  }

  /** As {@link BlockingAccess#readAtAll(long, List)}. */
  CompletableFuture<Long> readAtAllAsync(long position, Memory into) throws IOException;

  /** As {@link #readAtAllAsync(long, Memory)}, several segments one after the other. */
  default CompletableFuture<Long> readAtAllAsync(long position, List<MemorySegment> into)
      throws IOException {
    return readAtAllAsync(position, Memory.of(into));
  }

  /** As {@link BlockingAccess#readAtAll(long, MemorySegment)}. */
  default CompletableFuture<Long> readAtAllAsync(long position, MemorySegment into)
      throws IOException {
    return readAtAllAsync(position, List.of(into));
  }

  /** As {@link BlockingAccess#readAtAll(long, byte[])}. */
  default CompletableFuture<Long> readAtAllAsync(long position, byte[] into) throws IOException {
    return readAtAllAsync(position, MemorySegment.ofArray(into));
  }

  /** As {@link BlockingAccess#writeAtAll(long, List)}. */
  CompletableFuture<Long> writeAtAllAsync(long position, Memory from) throws IOException;

  /** As {@link #writeAtAllAsync(long, Memory)}, several segments one after the other. */
  default CompletableFuture<Long> writeAtAllAsync(long position, List<MemorySegment> from)
      throws IOException {
    return writeAtAllAsync(position, Memory.of(from));
  }

  /** As {@link BlockingAccess#writeAtAll(long, MemorySegment)}. */
  default CompletableFuture<Long> writeAtAllAsync(long position, MemorySegment from)
      throws IOException {
    return writeAtAllAsync(position, List.of(from));
  }

  /** As {@link BlockingAccess#writeAtAll(long, byte[])}. */
  default CompletableFuture<Long> writeAtAllAsync(long position, byte[] from) throws IOException {
    return writeAtAllAsync(position, MemorySegment.ofArray(from));
  }

  /** As {@link BlockingAccess#readAll(List)}. */
  CompletableFuture<Long> readAllAsync(Memory into) throws IOException;

  /** As {@link #readAllAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> readAllAsync(List<MemorySegment> into) throws IOException {
    return readAllAsync(Memory.of(into));
  }

  /** As {@link BlockingAccess#readAll(MemorySegment)}. */
  default CompletableFuture<Long> readAllAsync(MemorySegment into) throws IOException {
    return readAllAsync(List.of(into));
  }

  /** As {@link BlockingAccess#readAll(byte[])}. */
  default CompletableFuture<Long> readAllAsync(byte[] into) throws IOException {
    return readAllAsync(MemorySegment.ofArray(into));
  }

  /** As {@link BlockingAccess#writeAll(List)}. */
  CompletableFuture<Long> writeAllAsync(Memory from) throws IOException;

  /** As {@link #writeAllAsync(Memory)}, several segments one after the other. */
  default CompletableFuture<Long> writeAllAsync(List<MemorySegment> from) throws IOException {
    return writeAllAsync(Memory.of(from));
  }

  /** As {@link BlockingAccess#writeAll(MemorySegment)}. */
  default CompletableFuture<Long> writeAllAsync(MemorySegment from) throws IOException {
    return writeAllAsync(List.of(from));
  }

  /** As {@link BlockingAccess#writeAll(byte[])}. */
  default CompletableFuture<Long> writeAllAsync(byte[] from) throws IOException {
    return writeAllAsync(MemorySegment.ofArray(from));
  }
}
