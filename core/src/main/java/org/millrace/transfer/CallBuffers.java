package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.message.SharedBuffers;

/**
 * Buffers of collective calls, reused by the next call: new memory is slow when it is first
 * touched.
 *
 * <p>Safe for use by several threads: one lock. Closing gives shared memory back; other memory is
 * the garbage collector's.
 */
public final class CallBuffers {

  /** More than this is not kept. */
  private static final int KEPT = 4;

  // constant after construction
  private final Env env;
  private final SharedBuffers sharedBuffers;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<MemorySegment> free = new ArrayList<>();

  /** Buffers in memory that other processes can reach, as far as there is some. */
  public CallBuffers(Env env, SharedBuffers sharedBuffers) {
    this.env = env;
    this.sharedBuffers = sharedBuffers;
  }

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
    MemorySegment shared = sharedBuffers.tryTake(bytes);
    return shared != null ? shared : env.autoArena().allocate(bytes, 64);
  }

  /**
   * Returns a buffer. One that may still be accessed must not be returned: it is left to the
   * garbage collector, or lost if it is shared memory.
   */
  void give(MemorySegment buffer) {
    lock.lock();
    try {
      if (free.size() == KEPT) {
        giveBack(free.removeFirst()); // the largest wanted lately stay
      }
      free.add(buffer);
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(MemorySegment buffer) {
    if (sharedBuffers.holds(buffer)) {
      sharedBuffers.give(buffer);
    }
  }

  /** Gives shared memory back. */
  public void close() {
    lock.lock();
    try {
      free.forEach(this::giveBack);
      free.clear();
    } finally {
      lock.unlock();
    }
  }
}
