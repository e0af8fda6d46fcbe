package org.millrace.message;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A payload that is received into memory of the transport, over one connection.
 *
 * <p>Filled by the thread that reads; {@link #cancel} is for any thread, and afterwards nothing is
 * written any more: a lock is held while the memory is filled.
 */
final class MemorySink implements Sink {

  // constant after construction
  private final MemorySegment memory;
  private final long bytes;
  private final ByteBuffer buffer;
  private final Runnable onDrop;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private boolean cancelled;

  // owned by the thread that reads
  private boolean claimed;

  /**
   * A payload of {@code bytes} bytes.
   *
   * @param onDrop called if it does not become complete
   */
  MemorySink(MemorySegment memory, long bytes, Runnable onDrop) {
    this.memory = memory;
    this.bytes = bytes;
    this.buffer = memory.asSlice(0, bytes).asByteBuffer();
    this.onDrop = onDrop;
  }

  MemorySegment memory() {
    return memory;
  }

  long bytes() {
    return bytes;
  }

  /** Takes the memory of the complete payload; the caller gives it back. */
  MemorySegment claim() {
    claimed = true;
    return memory;
  }

  boolean isClaimed() {
    return claimed;
  }

  /** Lets nothing more be written: the memory is another's from now on. */
  void cancel() {
    lock.lock();
    try {
      cancelled = true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable ByteBuffer enter() {
    lock.lock();
    if (cancelled) {
      lock.unlock();
      return null;
    }
    return buffer;
  }

  @Override
  public void leave() {
    lock.unlock();
  }

  @Override
  public void drop() {
    cancel();
    onDrop.run();
  }
}
