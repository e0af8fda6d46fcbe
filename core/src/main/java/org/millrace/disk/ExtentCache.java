package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Caches the places of a file on its disk. The disk is asked again only after the file got new
 * space: by a write to bytes without a place, by a change of its size, or by a force after such a
 * write, since file systems may choose the place of new bytes that late.
 *
 * <p>Safe for use by several threads.
 */
final class ExtentCache {

  private final DiskFile file;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private List<DiskExtent> places = List.of();

  @GuardedBy("lock")
  private boolean stale = true;

  /** Bytes were written that had no place, and not forced since. */
  @GuardedBy("lock")
  private boolean unplaced;

  ExtentCache(DiskFile file) {
    this.file = file;
  }

  /** What is remembered; null if the disk has to be asked. */
  @Nullable List<DiskExtent> fresh() {
    lock.lock();
    try {
      return stale ? null : places;
    } finally {
      lock.unlock();
    }
  }

  /** Asks the disk where the file lies. */
  List<DiskExtent> query() throws IOException {
    lock.lock();
    try {
      stale = false; // a write that comes while the disk is asked makes it so again
    } finally {
      lock.unlock();
    }
    List<DiskExtent> now;
    try {
      now = file.placements(0, file.size());
    } catch (IOException | RuntimeException e) {
      onResized(); // asked again next time
      throw e;
    }
    lock.lock();
    try {
      places = now;
      return now;
    } finally {
      lock.unlock();
    }
  }

  /** Bytes were written. */
  void onWritten(long from, long to) {
    lock.lock();
    try {
      if (!stale && !isPlaced(from, to)) {
        stale = true;
      }
      unplaced |= stale;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean isPlaced(long from, long to) {
    int low = 0;
    int high = places.size();
    while (low < high) { // the first stretch that ends behind from
      int middle = (low + high) >>> 1;
      if (places.get(middle).end() <= from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    long at = from;
    for (int i = low; at < to && i < places.size() && places.get(i).position() <= at; i++) {
      at = places.get(i).end();
    }
    return at >= to;
  }

  /** The file was forced. */
  void onForced() {
    lock.lock();
    try {
      stale |= unplaced;
      unplaced = false;
    } finally {
      lock.unlock();
    }
  }

  /** The file was cut, extended, or given room. */
  void onResized() {
    lock.lock();
    try {
      stale = true;
    } finally {
      lock.unlock();
    }
  }
}
