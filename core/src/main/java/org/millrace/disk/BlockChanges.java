package org.millrace.disk;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Which bytes of a block are changed: a few ranges, ascending, with gaps between them. Where there
 * would be more, the two that are nearest to each other become one, and the bytes between them
 * count as changed. Bytes from {@link #limit} on are beyond the strand's end, and count as changed
 * as well.
 *
 * <p>Belongs to one thread, or is guarded by its owner.
 */
public final class BlockChanges {

  private static final int MAX_RANGES = 8;

  private final int limit;
  private final int[] ranges = new int[2 * (MAX_RANGES + 1)];
  private int count;

  /** None yet, of a block of whose bytes the first {@code limit} lie before the strand's end. */
  public BlockChanges(int limit) {
    this.limit = limit;
  }

  /** All of a block. */
  public static BlockChanges all() {
    return new BlockChanges(0);
  }

  /** These changes of a block that ends at {@code newLimit}. */
  public BlockChanges within(int newLimit) {
    BlockChanges copy = new BlockChanges(newLimit);
    for (int i = 0; i < count; i++) {
      copy.add(from(i), to(i));
    }
    return copy;
  }

  int limit() {
    return limit;
  }

  int count() {
    return count;
  }

  int from(int range) {
    return ranges[2 * range];
  }

  int to(int range) {
    return ranges[2 * range + 1];
  }

  /** The bytes {@code [from, toOrBeyond)} change. */
  public void add(int from, int toOrBeyond) {
    int to = Math.min(toOrBeyond, limit);
    if (from >= to) {
      return;
    }
    if (count > 0 && from >= from(count - 1) && from <= to(count - 1)) { // mostly it goes on
      ranges[2 * count - 1] = Math.max(to, to(count - 1));
      return;
    }
    int first = 0;
    while (first < count && to(first) < from) {
      first++;
    }
    int next = first;
    int low = from;
    int high = to;
    while (next < count && from(next) <= to) {
      low = Math.min(low, from(next));
      high = Math.max(high, to(next));
      next++;
    }
    System.arraycopy(ranges, 2 * next, ranges, 2 * (first + 1), 2 * (count - next));
    count += 1 - (next - first);
    ranges[2 * first] = low;
    ranges[2 * first + 1] = high;
    if (count > MAX_RANGES) {
      joinNearest();
    }
  }

  private void joinNearest() {
    int best = 1;
    for (int i = 2; i < count; i++) {
      best = from(i) - to(i - 1) < from(best) - to(best - 1) ? i : best;
    }
    ranges[2 * best - 1] = to(best);
    System.arraycopy(ranges, 2 * (best + 1), ranges, 2 * best, 2 * (count - best - 1));
    count--;
  }

  /** Nothing is changed. */
  public void clear() {
    count = 0;
  }

  /** Whether all that {@code other} changes is among what this changes. */
  boolean covers(BlockChanges other) {
    BlockChanges both = and(other);
    return both.limit == limit
        && both.count == count
        && Arrays.equals(both.ranges, 0, 2 * count, ranges, 0, 2 * count);
  }

  /** What this or {@code other} changes. */
  public BlockChanges and(@Nullable BlockChanges other) {
    if (other == null) {
      return this;
    }
    BlockChanges both = within(Math.min(limit, other.limit));
    for (int i = 0; i < other.count; i++) {
      both.add(other.from(i), other.to(i));
    }
    return both;
  }

  /** The sum of the bytes of a block that do not change. */
  public int restSum(MemorySegment content) {
    CRC32C crc = new CRC32C();
    int at = 0;
    for (int i = 0; i < count && at < limit; i++) {
      update(crc, content, at, Math.min(from(i), limit));
      at = Math.max(at, to(i));
    }
    update(crc, content, at, limit);
    return (int) crc.getValue();
  }

  private static void update(CRC32C crc, MemorySegment content, int from, int to) {
    if (from < to) {
      crc.update(content.asSlice(from, to - from).asByteBuffer());
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(from(i)).append("..").append(to(i)).append(' ');
    }
    return text.append("of ").append(limit).toString();
  }
}
