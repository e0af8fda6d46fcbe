package org.millrace.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory for payloads that are received or sent. It is bounded, however many senders there are, and
 * no sender has more than its share: a quarter, or half if there is little; one piece of any size
 * is always allowed. A caller that finds none left gets memory later, in the order of requests,
 * from a thread that releases some.
 *
 * <p>Safe for use by several threads: one lock, not held during callbacks. Memory is kept for the
 * next, and is the garbage collector's to give back.
 */
final class TransferMemory {

  private static final int MIN_SHIFT = 12;
  private static final int CLASSES = 20;
  private static final long MIN_SHARE = FrameHeader.MAX_PAYLOAD;

  /** One sender's part. Guarded by the lock. */
  static final class Share {
    private long held;
  }

  /** A waiting request. */
  private record MemoryRequest(Share share, long bytes, Consumer<MemorySegment> granted) {}

  /** A granted request whose callback has not run yet. */
  private record Grant(MemorySegment memory, Consumer<MemorySegment> granted) {}

  // constant after construction
  private final long bound;
  private final long maxPerSender;
  private final ReentrantLock lock = new ReentrantLock();
  private final Share alone = new Share();

  // guarded by lock
  private final List<ArrayDeque<MemorySegment>> free = new ArrayList<>();
  private final ArrayDeque<MemoryRequest> waiting = new ArrayDeque<>();
  private final ArrayDeque<Grant> grants = new ArrayDeque<>();
  private long used;
  private long kept;
  private long peak;
  private boolean handingOut;

  TransferMemory(long bound) {
    this.bound = bound;
    this.maxPerSender = Math.min(bound / 2, Math.max(MIN_SHARE, bound / 4));
    for (int i = 0; i < CLASSES; i++) {
      free.add(new ArrayDeque<>());
    }
  }

  /** The largest piece that can be had. */
  long bound() {
    return bound;
  }

  /** As {@link #takeNow(Share, long)}, for an owner that does not share. */
  MemorySegment takeNow(long bytes) {
    return takeNow(alone, bytes);
  }

  /** Gives back what {@link #takeNow(long)} gave. */
  void give(MemorySegment memory) {
    give(alone, memory);
  }

  /** How much was in use at most. */
  long peak() {
    lock.lock();
    try {
      return peak;
    } finally {
      lock.unlock();
    }
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

  /**
   * Requests {@code bytes}, at most the bound; {@code granted} receives the memory now or later and
   * returns it with {@link #give}.
   */
  void request(Share share, long bytes, Consumer<MemorySegment> granted) {
    MemorySegment memory;
    lock.lock();
    try {
      memory = isBehind(share) ? null : take(share, bytes, bound);
      if (memory == null) {
        waiting.add(new MemoryRequest(share, bytes, granted));
        return;
      }
    } finally {
      lock.unlock();
    }
    granted.accept(memory);
  }

  /**
   * Whether an earlier request goes first. A sender that has used up its share keeps only itself
   * waiting.
   */
  private boolean isBehind(Share share) {
    for (MemoryRequest one : waiting) {
      if (one.share == share || one.share.held == 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes {@code bytes} at once, beyond the bound if need be: for payloads that are already on
   * their way, of which each session may have only little.
   */
  MemorySegment takeNow(Share share, long bytes) {
    lock.lock();
    try {
      MemorySegment memory = take(share, bytes, Long.MAX_VALUE);
      return memory == null ? MemorySegment.NULL : memory;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable MemorySegment take(Share share, long bytes, long limit) {
    int index = index(bytes);
    long size = 1L << (index + MIN_SHIFT);
    if (limit != Long.MAX_VALUE
        && (used + size > Math.max(limit, size)
            || (share.held > 0 && share.held + size > maxPerSender))) {
      return null;
    }
    used += size;
    share.held += size;
    peak = Math.max(peak, used);
    MemorySegment old = free.get(index).poll();
    if (old == null) {
      return Arena.ofAuto().allocate(size, 64);
    }
    kept -= size;
    return old;
  }

  private static int index(long bytes) {
    int shift = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1);
    return Math.max(0, shift - MIN_SHIFT);
  }

  /** Returns granted memory, and serves waiting requests. */
  void give(Share share, MemorySegment memory) {
    lock.lock();
    try {
      long size = memory.byteSize();
      used -= size;
      share.held -= size;
      if (used + kept + size <= bound) {
        kept += size;
        free.get(index(size)).push(memory);
      }
      for (Iterator<MemoryRequest> all = waiting.iterator(); all.hasNext(); ) {
        MemoryRequest one = all.next();
        MemorySegment next = take(one.share, one.bytes, bound);
        if (next != null) {
          all.remove();
          grants.add(new Grant(next, one.granted));
        } else if (one.share.held == 0) {
          break; // there is not enough memory: requests behind it must wait, too
        }
      }
      if (handingOut || grants.isEmpty()) {
        return; // the thread that hands out now hands these out, too: callbacks are not nested
      }
      handingOut = true;
    } finally {
      lock.unlock();
    }
    handOut();
  }

  private void handOut() {
    for (Grant next = nextGrant(); next != null; next = nextGrant()) {
      next.granted.accept(next.memory);
    }
  }

  private @Nullable Grant nextGrant() {
    lock.lock();
    try {
      Grant next = grants.poll();
      handingOut = next != null;
      return next;
    } finally {
      lock.unlock();
    }
  }
}
