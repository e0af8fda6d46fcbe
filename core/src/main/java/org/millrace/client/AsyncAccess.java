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

  /** As {@link BlockingAccess#readAt(long, MemorySegment)}. */
  CompletableFuture<Long> readAtAsync(long position, MemorySegment into) throws IOException;

  /** As {@link BlockingAccess#writeAt(long, MemorySegment)}. */
  CompletableFuture<Long> writeAtAsync(long position, MemorySegment from) throws IOException;

  /** As {@link BlockingAccess#read(MemorySegment)}. */
  CompletableFuture<Long> readAsync(MemorySegment into) throws IOException;

  /** As {@link BlockingAccess#read(List)}. */
  CompletableFuture<Long> readAsync(List<MemorySegment> into) throws IOException;

  /** As {@link BlockingAccess#write(MemorySegment)}. */
  CompletableFuture<Long> writeAsync(MemorySegment from) throws IOException;

  /** As {@link BlockingAccess#write(List)}. */
  CompletableFuture<Long> writeAsync(List<MemorySegment> from) throws IOException;

  /** As {@link BlockingAccess#readShared}. */
  CompletableFuture<Long> readSharedAsync(MemorySegment into) throws IOException;

  /** As {@link BlockingAccess#writeShared}. */
  CompletableFuture<Long> writeSharedAsync(MemorySegment from) throws IOException;

  /** As {@link BlockingAccess#readOrdered}. */
  CompletableFuture<Long> readOrderedAsync(MemorySegment into) throws IOException;

  /** As {@link BlockingAccess#writeOrdered}. */
  CompletableFuture<Long> writeOrderedAsync(MemorySegment from) throws IOException;

  /** As {@link BlockingAccess#readAtAll}. */
  CompletableFuture<Long> readAtAllAsync(long position, MemorySegment into) throws IOException;

  /** As {@link BlockingAccess#writeAtAll}. */
  CompletableFuture<Long> writeAtAllAsync(long position, MemorySegment from) throws IOException;

  /** As {@link BlockingAccess#readAll}. */
  CompletableFuture<Long> readAllAsync(MemorySegment into) throws IOException;

  /** As {@link BlockingAccess#writeAll}. */
  CompletableFuture<Long> writeAllAsync(MemorySegment from) throws IOException;
}
