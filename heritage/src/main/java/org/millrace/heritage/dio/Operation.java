package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A read or write that is under way. It is finished by {@code dio_wait}, or by giving the handle
 * back, and keeps what came of it.
 *
 * <p>Belongs to the rank's thread.
 */
final class Operation {

  /**
   * What was asked for.
   *
   * @param isRead whether memory is filled
   * @param proc whose component
   * @param offset of the component
   * @param memory in this order
   * @param bytes of it
   */
  record Wanted(boolean isRead, int proc, long offset, List<MemorySegment> memory, long bytes) {

    @Override
    public String toString() {
      return "%s of %s bytes at %s of component %s"
          .formatted(isRead ? "dio_read" : "dio_write", bytes, offset, proc);
    }
  }

  // constant after construction
  private final DioHandle handle;
  private final Wanted wanted;
  private final CompletableFuture<Long> moving;

  // the rank's thread
  private boolean finished;
  private @Nullable Exception failure;

  Operation(DioHandle handle, Wanted wanted, CompletableFuture<Long> moving) {
    this.handle = handle;
    this.wanted = wanted;
    this.moving = moving;
  }

  boolean isDone() {
    return finished || moving.isDone();
  }

  /** Waits until the bytes have moved and does what the mode says about missing ones. */
  void finish() {
    if (finished) {
      return;
    }
    finished = true;
    handle.ended(this);
    try {
      long moved = handle.rank().await(moving);
      if (moved < wanted.bytes) {
        pastEnd(moved);
      }
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
  }

  private void pastEnd(long moved) throws IOException {
    if (handle.mode() == DioMode.STANDARD) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s of %s goes beyond its end, after %s bytes".formatted(wanted, handle.name(), moved));
    }
    long at = 0;
    for (MemorySegment part : wanted.memory) {
      long from = Math.clamp(moved - at, 0, part.byteSize());
      part.asSlice(from).fill((byte) 0);
      at += part.byteSize();
    }
    handle.files().extend(wanted.proc, wanted.offset + wanted.bytes);
  }

  /** Throws what went wrong, if anything did. */
  void check() throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }
}
