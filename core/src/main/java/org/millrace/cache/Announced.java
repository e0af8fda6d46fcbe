package org.millrace.cache;

import java.util.Map;
import java.util.TreeMap;

/**
 * The blocks of a strand that were announced and are not being loaded yet, as stretches that lie
 * apart, and where loading goes on.
 *
 * <pre>
 *   |-----|      |-----------|     |----|
 *                        ^                    next; on to the right, then from the left again
 * </pre>
 *
 * <p>Owned by the cache's lock.
 */
final class Announced {

  /** Bounds the memory. */
  private static final int MAX_STRETCHES = 64;

  private final TreeMap<Long, Long> stretches = new TreeMap<>(); // from, to
  private long next;

  boolean isEmpty() {
    return stretches.isEmpty();
  }

  /** Adds blocks; false if there are too many stretches already. */
  boolean add(long from, long to) {
    long start = from;
    long end = to;
    Map.Entry<Long, Long> other = stretches.floorEntry(to);
    while (other != null && other.getValue() >= from) {
      start = Math.min(start, other.getKey());
      end = Math.max(end, other.getValue());
      stretches.remove(other.getKey());
      other = stretches.floorEntry(to);
    }
    boolean room = stretches.size() < MAX_STRETCHES;
    if (room) {
      stretches.put(start, end);
    }
    return room;
  }

  /** The block to be loaded next. There must be one. */
  long next() {
    if (contains(next)) {
      return next;
    }
    Long behind = stretches.ceilingKey(next);
    return behind == null ? stretches.firstKey() : behind;
  }

  boolean contains(long block) {
    Map.Entry<Long, Long> at = stretches.floorEntry(block);
    return at != null && block < at.getValue();
  }

  /** Where the stretch ends that contains a block. */
  long end(long block) {
    return stretches.floorEntry(block).getValue();
  }

  /** Takes blocks of one stretch out; loading goes on behind them. */
  void pass(long from, long to) {
    Map.Entry<Long, Long> at = stretches.floorEntry(from);
    stretches.remove(at.getKey());
    if (at.getKey() < from) {
      stretches.put(at.getKey(), from);
    }
    if (to < at.getValue()) {
      stretches.put(to, at.getValue());
    }
    next = to;
  }

  /** How many blocks will be loaded before this one. */
  long before(long block) {
    return block >= next ? between(next, block) : between(next, Long.MAX_VALUE) + between(0, block);
  }

  private long between(long from, long to) {
    long count = 0;
    for (Map.Entry<Long, Long> one : stretches.entrySet()) {
      count += Math.max(0, Math.min(to, one.getValue()) - Math.max(from, one.getKey()));
    }
    return count;
  }

  void clear() {
    stretches.clear();
  }
}
