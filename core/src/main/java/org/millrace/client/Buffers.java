package org.millrace.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Buffers of collective calls, kept for the next call: fresh memory is slow when it is touched
 * first.
 *
 * <p>Safe for use by several threads: one lock. Memory is the garbage collector's to give back.
 */
final class Buffers {

  /** More than this is not kept. */
  private static final int KEPT = 4;

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<MemorySegment> free = new ArrayList<>();

  /** A buffer of at least {@code bytes}, of any content. */
  MemorySegment take(long bytes) {
    lock.lock();
    try {
      for (int i = free.size() - 1; i >= 0; i--) {
        if (free.get(i).byteSize() >= bytes) {
          return free.remove(i);
        }
      }
    } finally {
      lock.unlock();
    }
    return Arena.ofAuto().allocate(bytes, 64);
  }

  /** Gives a buffer back. */
  void give(MemorySegment buffer) {
    lock.lock();
    try {
      if (free.size() == KEPT) {
        free.removeFirst(); // the largest wanted lately stay
      }
      free.add(buffer);
    } finally {
      lock.unlock();
    }
  }
}
