package org.millrace.node;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockStore;

/**
 * Memory for copies of blocks while their pieces are moved: one for each worker that needs it, kept
 * for the next. There are never more than workers at the same time.
 *
 * <p>Safe for use by several threads. Memory is the garbage collector's to give back.
 */
final class Scratches {

  private final ConcurrentLinkedDeque<MemorySegment> free = new ConcurrentLinkedDeque<>();

  /** One worker's scratch, taken when it is first needed. For one thread; closing gives it back. */
  final class Loan implements AutoCloseable {

    private @Nullable MemorySegment taken;

    MemorySegment get() {
      MemorySegment scratch = taken;
      if (scratch == null) {
        scratch = free.pollFirst();
        if (scratch == null) {
          scratch = Arena.ofAuto().allocate(BlockStore.BLOCK_BYTES, 64);
        }
        taken = scratch;
      }
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
