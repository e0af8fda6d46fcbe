package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A file of an {@link OverlayDisk}: one of the disk below, with pages in memory where it was
 * written. Guarded by the lock of its disk.
 */
final class OverlayContent {

  private static final int PAGE_BYTES = 4096;

  private final @Nullable DiskFile base;
  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private long size;
  private long baseLimit; // bytes of the base from here on do not count
  private boolean changed;
  private int handles;

  private OverlayContent(@Nullable DiskFile base, long size) {
    this.base = base;
    this.size = size;
    this.baseLimit = size;
    this.changed = base == null;
  }

  static OverlayContent over(DiskFile base) throws IOException {
    return new OverlayContent(base, base.size());
  }

  static OverlayContent empty() {
    return new OverlayContent(null, 0);
  }

  OverlayContent opened() {
    handles++;
    return this;
  }

  /** It differs from the file below of its name. */
  void keep() {
    changed = true;
  }

  /** A handle is closed; true if nothing need be kept. */
  boolean release() throws IOException {
    handles--;
    if (handles > 0 || changed) {
      return false;
    }
    close();
    return true;
  }

  void close() throws IOException {
    if (base != null) {
      base.close();
    }
  }

  long size() {
    return size;
  }

  long read(long position, MemorySegment into) throws IOException {
    long count = Math.clamp(size - position, 0, into.byteSize());
    if (count == 0) {
      return 0;
    }
    MemorySegment part = into.asSlice(0, count);
    long there = Math.clamp(baseLimit - position, 0, count);
    if (base != null && there > 0) {
      there = base.read(position, part.asSlice(0, there));
    } else {
      there = 0;
    }
    part.asSlice(there).fill((byte) 0);
    long first = position / PAGE_BYTES;
    long last = (position + count - 1) / PAGE_BYTES;
    for (Map.Entry<Long, byte[]> page : pages.subMap(first, true, last, true).entrySet()) {
      long start = page.getKey() * PAGE_BYTES;
      long from = Math.max(position, start);
      long to = Math.min(position + count, start + PAGE_BYTES);
      MemorySegment.copy(
          MemorySegment.ofArray(page.getValue()), from - start, part, from - position, to - from);
    }
    return count;
  }

  long read(long position, List<MemorySegment> into) throws IOException {
    long done = 0;
    for (MemorySegment one : into) {
      done += read(position + done, one);
    }
    return done;
  }

  void write(long position, MemorySegment from) throws IOException {
    changed = true;
    long end = position + from.byteSize();
    for (long at = position; at < end; ) {
      long number = at / PAGE_BYTES;
      byte[] page = page(number);
      int in = (int) (at % PAGE_BYTES);
      long count = Math.min(PAGE_BYTES - in, end - at);
      MemorySegment.copy(from, at - position, MemorySegment.ofArray(page), in, count);
      at += count;
    }
    size = from.byteSize() == 0 ? size : Math.max(size, end);
  }

  private byte[] page(long number) throws IOException {
    byte[] page = pages.get(number);
    if (page == null) {
      page = new byte[PAGE_BYTES];
      read(number * PAGE_BYTES, MemorySegment.ofArray(page));
      pages.put(number, page);
    }
    return page;
  }

  void resize(long to) throws IOException {
    changed = true;
    if (to < size) {
      baseLimit = Math.min(baseLimit, to);
      pages.tailMap(Math.ceilDiv(to, PAGE_BYTES), true).clear();
      byte[] last = to % PAGE_BYTES == 0 ? null : pages.get(to / PAGE_BYTES);
      if (last != null) {
        Arrays.fill(last, (int) (to % PAGE_BYTES), PAGE_BYTES, (byte) 0);
      }
    }
    size = to;
  }
}
