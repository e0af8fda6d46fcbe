package org.millrace.node;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * A pool of buffers for copies of blocks while their pieces are moved. It has at most as many
 * buffers as there were workers at the same time.
 *
 * <p>Safe for use by several threads. The garbage collector frees the memory.
 */
final class ScratchBuffers {

  private final ConcurrentLinkedDeque<MemorySegment> free = new ConcurrentLinkedDeque<>();

  /** One worker's buffer, taken on first use. For one thread; closing returns it to the pool. */
  final class Borrowed implements AutoCloseable {

    private @Nullable MemorySegment taken;

    /** A buffer of at least {@code bytes}. */
    MemorySegment get(long bytes) {
      MemorySegment scratch = taken == null ? free.pollFirst() : taken;
      if (scratch == null || scratch.byteSize() < bytes) {
        scratch = Arena.ofAuto().allocate(bytes, 64);
      }
      taken = scratch;
      return scratch;
    }

    @Override
    public void close() {
      if (taken != null) {
        free.addFirst(taken);
        taken = null;
      }
    }
  }

  Borrowed borrow() {
    return new Borrowed();
  }
}
