package org.millrace.node;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory for copies of blocks while their pieces are moved: one for each worker that needs it, kept
 * for the next. There are never more than workers at the same time.
 *
 * <p>Safe for use by several threads. Memory is the garbage collector's to give back.
 */
final class ScratchBuffers {

  private final ConcurrentLinkedDeque<MemorySegment> free = new ConcurrentLinkedDeque<>();

  /** One worker's scratch, taken when it is first needed. For one thread; closing gives it back. */
  final class Loan implements AutoCloseable {

    private @Nullable MemorySegment taken;

    /** Room for {@code bytes}; what is too small is left to the garbage collector. */
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

  Loan loan() {
    return new Loan();
  }
}
