package org.millrace.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory for payloads that come in or go out: bounded, however many want some. Who finds none left
 * is granted some later, in the order of asking, by the thread that gives some back.
 *
 * <p>Safe for use by several threads: one lock, not held while anybody is told. Memory is kept for
 * the next, and is the garbage collector's to give back.
 */
final class TransferMemory {

  private static final int LEAST_SHIFT = 12;
  private static final int CLASSES = 16;

  /** Somebody who waits. */
  private record Asked(long bytes, Consumer<MemorySegment> granted) {}

  // constant after construction
  private final long bound;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<ArrayDeque<MemorySegment>> free = new ArrayList<>();
  private final ArrayDeque<Asked> waiting = new ArrayDeque<>();
  private long used;
  private long most;

  TransferMemory(long bound) {
    this.bound = bound;
    for (int i = 0; i < CLASSES; i++) {
      free.add(new ArrayDeque<>());
    }
  }

  /** The largest piece that can be had. */
  long bound() {
    return bound;
  }

  /** How much is in use. */
  long used() {
    lock.lock();
    try {
      return used;
    } finally {
      lock.unlock();
    }
  }

  /** How much was in use at most. */
  long most() {
    lock.lock();
    try {
      return most;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks for {@code bytes}, at most the bound; {@code granted} gets them now or later and gives
   * them back with {@link #give}.
   */
  void ask(long bytes, Consumer<MemorySegment> granted) {
    MemorySegment memory;
    lock.lock();
    try {
      memory = waiting.isEmpty() ? take(bytes, bound) : null;
      if (memory == null) {
        waiting.add(new Asked(bytes, granted));
        return;
      }
    } finally {
      lock.unlock();
    }
    granted.accept(memory);
  }

  /**
   * Takes {@code bytes} at once, beyond the bound if need be: for payloads that are already on
   * their way, of which each session may have only little.
   */
  MemorySegment takeNow(long bytes) {
    lock.lock();
    try {
      MemorySegment memory = take(bytes, Long.MAX_VALUE);
      return memory == null ? MemorySegment.NULL : memory;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable MemorySegment take(long bytes, long limit) {
    int index = index(bytes);
    long size = 1L << (index + LEAST_SHIFT);
    if (used + size > Math.max(limit, size)) {
      return null;
    }
    used += size;
    most = Math.max(most, used);
    MemorySegment kept = free.get(index).poll();
    return kept != null ? kept : Arena.ofAuto().allocate(size, 64);
  }

  private static int index(long bytes) {
    int shift = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1);
    return Math.max(0, shift - LEAST_SHIFT);
  }

  /** Gives back what was granted, and grants to those who wait. */
  void give(MemorySegment memory) {
    List<Asked> lucky = List.of();
    List<MemorySegment> grants = new ArrayList<>();
    lock.lock();
    try {
      used -= memory.byteSize();
      free.get(index(memory.byteSize())).push(memory);
      if (!waiting.isEmpty()) {
        lucky = new ArrayList<>();
        MemorySegment next = take(waiting.getFirst().bytes, bound);
        while (next != null) {
          lucky.add(waiting.remove());
          grants.add(next);
          next = waiting.isEmpty() ? null : take(waiting.getFirst().bytes, bound);
        }
      }
    } finally {
      lock.unlock();
    }
    for (int i = 0; i < lucky.size(); i++) {
      lucky.get(i).granted.accept(grants.get(i));
    }
  }
}
