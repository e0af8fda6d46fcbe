package org.millrace.wire;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * One piece of shared memory and its allocated pages. Allocation is first fit, so the same few
 * pages are reused and stay in the processors' caches.
 *
 * <p>What is taken is guarded by the lock of the {@link Pool}; the rest is constant.
 */
final class Slab {

  /** What is handed out begins at a multiple of this. */
  static final int PAGE_BYTES = 4096;

  // Constant after construction.
  private final int number;
  private final SharedMemory memory;
  private final MemorySegment segment;
  private final int pages;

  // Guarded by the pool's lock.
  private final BitSet taken;

  /** For each page at which a taken piece begins, how many pages that piece has. */
  private final int[] lengths;

  Slab(int number, SharedMemory memory) {
    this.number = number;
    this.memory = memory;
    this.segment = memory.segment();
    this.pages = (int) (memory.bytes() / PAGE_BYTES);
    this.taken = new BitSet(pages);
    this.lengths = new int[pages];
  }

  int number() {
    return number;
  }

  SharedMemory memory() {
    return memory;
  }

  long address() {
    return segment.address();
  }

  long bytes() {
    return segment.byteSize();
  }

  /** Where the first of the next {@code wanted} free pages is, -1 if there are not that many. */
  int tryTake(int wanted) {
    int from = taken.nextClearBit(0);
    while (from + wanted <= pages) {
      int next = taken.nextSetBit(from);
      if (next < 0 || next - from >= wanted) {
        taken.set(from, from + wanted);
        lengths[from] = wanted;
        return from;
      }
      from = taken.nextClearBit(next);
    }
    return -1;
  }

  /** Whether a taken piece of so many pages begins there; if so it is free now. */
  boolean give(long offset, int length) {
    int page = (int) (offset / PAGE_BYTES);
    if (offset % PAGE_BYTES != 0 || page >= pages || lengths[page] != length) {
      return false;
    }
    lengths[page] = 0;
    taken.clear(page, page + length);
    return true;
  }

  MemorySegment piece(int page, long bytes) {
    return segment.asSlice((long) page * PAGE_BYTES, bytes);
  }

  int takenPages() {
    return taken.cardinality();
  }
}
