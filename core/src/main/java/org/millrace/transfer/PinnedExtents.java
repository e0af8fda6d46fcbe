package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Places of a strand's ranges in a node's memory, in ascending order, with a current one. Owned by
 * one thread.
 */
final class PinnedExtents {

  /** Bytes of the strand that lie one behind the other; no memory if they are zero. */
  private record Stretch(long from, long to, @Nullable MemorySegment memory, long base) {}

  private final List<Stretch> all = new ArrayList<>();
  private Stretch now = new Stretch(0, 0, null, 0);
  private int number = -1;

  /** Adds a stretch behind all others. */
  void add(long from, long to, @Nullable MemorySegment memory, long base) {
    Stretch last = all.isEmpty() ? now : all.getLast();
    boolean joins =
        !all.isEmpty()
            && last.to == from
            && Objects.equals(last.memory, memory)
            && (memory == null || last.base + (last.to - last.from) == base);
    if (joins) {
      all.set(all.size() - 1, new Stretch(last.from, to, memory, last.base));
    } else {
      all.add(new Stretch(from, to, memory, base));
    }
  }

  /** Makes the stretch with the byte at {@code offset} the current one. */
  void find(long offset) {
    if (offset >= now.from && offset < now.to) {
      return;
    }
    int next = number + 1;
    if (next < all.size() && offset >= all.get(next).from && offset < all.get(next).to) {
      set(next);
      return;
    }
    int low = 0;
    int high = all.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Stretch one = all.get(middle);
      if (offset < one.from) {
        high = middle - 1;
      } else if (offset >= one.to) {
        low = middle + 1;
      } else {
        set(middle);
        return;
      }
    }
    throw new IllegalStateException("byte " + offset + " of the strand is not pinned");
  }

  private void set(int which) {
    number = which;
    now = all.get(which);
  }

  /** The memory of the current stretch; null if it is zero and has none. */
  @Nullable MemorySegment memory() {
    return now.memory;
  }

  /** Where a byte of the strand lies in that memory. */
  long at(long offset) {
    return now.base + (offset - now.from);
  }

  /** Where the current stretch ends in the strand. */
  long end() {
    return now.to;
  }

  /** How many of some runs, from the one at {@code start} on, lie in the current stretch. */
  long runsInside(long start, long length, long stride, long runs) {
    if (start + length > now.to) {
      return 0;
    }
    if (stride == 0) {
      return runs;
    }
    long more = stride > 0 ? (now.to - length - start) / stride : (start - now.from) / -stride;
    return Math.min(runs, more + 1);
  }
}
