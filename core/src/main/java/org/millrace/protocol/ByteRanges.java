package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.files.ByteLock;

/**
 * The ranges of one file that one owner has locked, as POSIX keeps them: what is locked last
 * replaces what was there, and neighbours of one kind are one range. The coordinator and the
 * session that holds the locks keep them alike.
 *
 * <p>For one thread at a time.
 */
public final class ByteRanges {

  /** What is locked up to {@code to}, exclusive. */
  private record Range(long to, boolean exclusive) {}

  private final TreeMap<Long, Range> byFrom = new TreeMap<>(); // disjoint, neighbours differ

  /** One past the last byte of a lock. */
  public static long end(ByteLock lock) {
    long end = lock.from() + lock.length();
    return end < 0 ? Long.MAX_VALUE : end;
  }

  /** Locks a range, or gives it back. */
  public void set(ByteLock lock) {
    long from = lock.from();
    long to = end(lock);
    cut(from);
    cut(to);
    byFrom.subMap(from, to).clear();
    if (lock.kind() == ByteLock.Kind.NONE) {
      return;
    }
    boolean exclusive = lock.kind() == ByteLock.Kind.EXCLUSIVE;
    Map.Entry<Long, Range> before = byFrom.lowerEntry(from);
    if (before != null && before.getValue().equals(new Range(from, exclusive))) {
      from = before.getKey();
    }
    Range after = byFrom.get(to);
    if (after != null && after.exclusive == exclusive) {
      byFrom.remove(to);
      to = after.to;
    }
    byFrom.put(from, new Range(to, exclusive));
  }

  /** The same ranges once more. */
  public ByteRanges copy() {
    ByteRanges copy = new ByteRanges();
    copy.byFrom.putAll(byFrom);
    return copy;
  }

  /** Leaves what is locked before a lock is set and after it, too. */
  public void weaken(ByteLock by) {
    if (by.kind() == ByteLock.Kind.NONE) {
      set(by);
    } else if (by.kind() == ByteLock.Kind.SHARED) {
      for (ByteLock own : locks(by.owner())) {
        long from = Math.max(own.from(), by.from());
        long to = Math.min(end(own), end(by));
        if (from < to) {
          set(new ByteLock(by.owner(), from, to - from, ByteLock.Kind.SHARED));
        }
      }
    }
  }

  /** Whether there is a range that lies on both sides of a lock's. */
  public boolean isSplitBy(ByteLock lock) {
    Map.Entry<Long, Range> around = byFrom.lowerEntry(lock.from());
    return around != null && around.getValue().to > end(lock);
  }

  /** Lets a range end, and another begin, at {@code at}. */
  private void cut(long at) {
    Map.Entry<Long, Range> around = byFrom.lowerEntry(at);
    if (around != null && around.getValue().to > at) {
      Range whole = around.getValue();
      byFrom.put(around.getKey(), new Range(at, whole.exclusive));
      byFrom.put(at, whole);
    }
  }

  /** The first range that another owner's lock would conflict with, as a lock of {@code owner}. */
  public Optional<ByteLock> conflict(ByteLock other, long owner) {
    if (other.kind() == ByteLock.Kind.NONE) {
      return Optional.empty();
    }
    Long first = byFrom.floorKey(other.from());
    for (Map.Entry<Long, Range> each :
        byFrom.subMap(first == null ? other.from() : first, end(other)).entrySet()) {
      Range range = each.getValue();
      boolean overlap = range.to > other.from();
      if (overlap && (range.exclusive || other.kind() == ByteLock.Kind.EXCLUSIVE)) {
        return Optional.of(lock(owner, each.getKey(), range));
      }
    }
    return Optional.empty();
  }

  /** All ranges, ascending, as locks of {@code owner}. */
  public List<ByteLock> locks(long owner) {
    List<ByteLock> all = new ArrayList<>();
    byFrom.forEach((from, range) -> all.add(lock(owner, from, range)));
    return all;
  }

  private static ByteLock lock(long owner, long from, Range range) {
    return new ByteLock(
        owner,
        from,
        range.to == Long.MAX_VALUE ? ByteLock.TO_THE_END : range.to - from,
        range.exclusive ? ByteLock.Kind.EXCLUSIVE : ByteLock.Kind.SHARED);
  }

  /** Whether some range is locked exclusively. */
  public boolean isExclusive() {
    return byFrom.values().stream().anyMatch(Range::exclusive);
  }

  /** Whether nothing is locked. */
  public boolean isEmpty() {
    return byFrom.isEmpty();
  }

  /** How many ranges there are. */
  public int size() {
    return byFrom.size();
  }
}
