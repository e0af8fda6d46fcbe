package org.millrace.transfer;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;

/**
 * Scattered writes to one strand that touch the same blocks again and again, such as those of a
 * section of an array. After a few of them within a second its node is asked to keep these blocks,
 * and the next ones need no message ({@link KeptMove}). Only writes that touch all of the blocks
 * and no others use them, so that no block is taken for written that was not.
 *
 * <p>If the node cannot keep them, or if that did not pay, it is asked again after a while, which
 * doubles each time.
 *
 * <p>Safe for use by several threads: one lock, held for a few steps. Closing gives back what is
 * kept; it can still be used.
 */
final class RepeatedWrites implements AutoCloseable {

  /** So many different writes may take turns. */
  private static final int MOST = 8;

  /** More of a strand is not kept for one of them. */
  private static final long MAX_BYTES = 4 << 20;

  /** Writes that are further apart do not follow each other. */
  static final long APART_NANOS = 1_000_000_000L;

  private static final long MIN_PAUSE_NANOS = 50_000_000L;
  private static final long MAX_PAUSE_NANOS = 10_000_000_000L;

  /** Blocks that were written together, and who keeps them. One write uses it at a time. */
  static final class Place {
    // guarded by lock
    private boolean taken;
    private int seen;
    private int served;
    private long lastNanos;

    // owned by who has taken it
    @Nullable KeptWindow window;
  }

  /** How many writes must follow each other for it to pay. */
  private final int few;

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<List<WantedBlocks>, Place> places = new LinkedHashMap<>(MOST, 0.75f, true);
  private long pauseNanos;
  private long pausedSinceNanos;

  RepeatedWrites(int few) {
    this.few = few;
  }

  /** How many bytes of blocks are kept for one write at most. */
  static long maxBytes(int blockBytes) {
    return Math.min(MAX_BYTES, (long) KeptCells.MAX_BLOCKS * blockBytes);
  }

  /**
   * Takes the blocks of a write, which are kept or should be from now on. Null if it is better
   * written another way.
   */
  @Nullable Place take(List<WantedBlocks> blocks, long nowNanos) {
    lock.lock();
    try {
      Place place = places.get(blocks);
      if (place == null) {
        place = new Place();
        places.put(blocks, place);
        forgetEldest();
      }
      boolean follows = place.seen > 0 && nowNanos - place.lastNanos <= APART_NANOS;
      place.seen = follows ? Math.min(place.seen + 1, few + 1) : 1;
      place.lastNanos = nowNanos;
      if (place.taken || (place.window == null && (place.seen <= few || isPausing(nowNanos)))) {
        return null;
      }
      place.taken = true;
      return place;
    } finally {
      lock.unlock();
    }
  }

  /** With the lock. */
  private void forgetEldest() {
    Iterator<Place> each = places.values().iterator();
    while (places.size() > MOST && each.hasNext()) {
      Place place = each.next();
      if (!place.taken) {
        each.remove();
        giveBack(place);
      }
    }
  }

  /** With the lock. */
  private boolean isPausing(long nowNanos) {
    return pauseNanos > 0 && nowNanos - pausedSinceNanos < pauseNanos;
  }

  /** Whether the node has kept what it was asked for, as far as it was asked lately. */
  boolean isPromising(long nowNanos) {
    lock.lock();
    try {
      return !isPausing(nowNanos);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the use of a place: something was written into its window, or that is of no use. */
  void end(Place place, boolean written, long nowNanos) {
    lock.lock();
    try {
      place.taken = false;
      if (written) {
        place.served++;
        pauseNanos = place.served >= few ? 0 : pauseNanos;
        return;
      }
      giveBack(place);
      if (place.served < few) {
        pauseNanos = Math.clamp(2 * pauseNanos, MIN_PAUSE_NANOS, MAX_PAUSE_NANOS);
        pausedSinceNanos = nowNanos;
      }
      place.served = 0;
    } finally {
      lock.unlock();
    }
  }

  private static void giveBack(Place place) {
    KeptWindow window = place.window;
    place.window = null;
    if (window != null) {
      window.giveBack();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      for (Place place : places.values()) {
        if (!place.taken) {
          giveBack(place);
        }
      }
      places.values().removeIf(place -> !place.taken);
    } finally {
      lock.unlock();
    }
  }
}
