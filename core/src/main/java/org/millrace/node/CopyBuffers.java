package org.millrace.node;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;

/**
 * Memory for what comes to copies, aligned as disks want it, and used again: to touch fresh memory
 * takes longer than to copy. There are pieces of two sizes; longer ones are rare, and not kept.
 *
 * <p>Safe for use by several threads.
 */
final class CopyBuffers {

  private static final long SMALL_BYTES = 64 << 10;
  private static final long LARGE_BYTES = 1 << 20;
  private static final int MAX_KEPT = 16;

  // constant after construction
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final ArrayDeque<MemorySegment> small = new ArrayDeque<>();
  private final ArrayDeque<MemorySegment> large = new ArrayDeque<>();

  CopyBuffers(Env env) {
    this.env = env;
  }

  /** Memory of at least so many bytes, to be given back. Its content is arbitrary. */
  MemorySegment take(long bytes) {
    long size = bytes <= SMALL_BYTES ? SMALL_BYTES : Math.max(bytes, LARGE_BYTES);
    lock.lock();
    try {
      MemorySegment kept =
          size == SMALL_BYTES ? small.poll() : size == LARGE_BYTES ? large.poll() : null;
      if (kept != null) {
        return kept;
      }
    } finally {
      lock.unlock();
    }
    return env.autoArena().allocate(size, CopyTargets.ALIGNMENT);
  }

  void give(MemorySegment memory) {
    lock.lock();
    try {
      if (memory.byteSize() == SMALL_BYTES && small.size() < MAX_KEPT) {
        small.add(memory);
      } else if (memory.byteSize() == LARGE_BYTES && large.size() < MAX_KEPT) {
        large.add(memory);
      }
    } finally {
      lock.unlock();
    }
  }
}
