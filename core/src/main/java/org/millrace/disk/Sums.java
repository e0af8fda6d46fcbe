package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.CorruptBlockException;

/**
 * The sums of a strand's blocks: pages of its sums file, read on demand, the least recently used
 * forgotten first. Changed pages stay in memory and reach the disk only by {@link #snapshot} and
 * {@link #store}, because a sum on disk must never be newer than its block: a thread that stores a
 * snapshot has forced the data in between.
 *
 * <p>It also knows which blocks may be overwritten without an intent: those that have no sum on
 * disk, and those that have an intent already. Both cease with the next snapshot.
 *
 * <p>Safe for use by several threads; calls for the same block are kept apart by the caller.
 */
final class Sums {

  /** One changed sector as it was when the snapshot was made. */
  record Sector(SumsPage page, int number, MemorySegment bytes) {}

  // Constant after construction.
  private final DiskFile file;
  private final StrandKey id;
  private final String name;
  private final int maxPages;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private final LinkedHashMap<Long, SumsPage> pages = new LinkedHashMap<>(16, 0.75f, true);

  @GuardedBy("lock")
  private int dirtyPages;

  @GuardedBy("lock")
  private long snapshots;

  private boolean reaching; // of the thread that flushes

  Sums(DiskFile file, StrandKey id, String name, int maxPages) {
    this.file = file;
    this.id = id;
    this.name = name;
    this.maxPages = maxPages;
  }

  /** The sums of {@code count} blocks. */
  int[] get(long first, int count) throws IOException {
    int[] sums = new int[count];
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        sums[i] = page(first + i).entries[entry(first + i)];
      }
    } finally {
      lock.unlock();
    }
    return sums;
  }

  /** The first block of {@code [first, before)} that has a sum, or {@code before}. */
  long nextWritten(long first, long before) throws IOException {
    for (long block = first; block < before; ) {
      long pageEnd = Math.min(before, (block / SumsPage.ENTRIES + 1) * SumsPage.ENTRIES);
      lock.lock(); // for one page at a time: a large hole has many
      try {
        int[] entries = page(block).entries;
        for (; block < pageEnd; block++) {
          if (entries[entry(block)] != BlockSum.NEVER_WRITTEN) {
            return block;
          }
        }
      } finally {
        lock.unlock();
      }
    }
    return before;
  }

  /**
   * Sets the sums of the blocks from {@code first} on, which may now be overwritten freely until
   * the next snapshot.
   */
  void set(long first, int[] sums) throws IOException {
    lock.lock();
    try {
      for (int i = 0; i < sums.length; i++) {
        SumsPage page = page(first + i);
        boolean clean = page.dirty.isEmpty();
        page.set(entry(first + i), sums[i]);
        if (clean && !page.dirty.isEmpty()) {
          dirtyPages++;
        }
        if (page.freeSince != snapshots) {
          page.free.clear();
          page.freeSince = snapshots;
        }
        page.free.set(entry(first + i));
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Which of {@code count} blocks must have an intent before they are overwritten, as offsets from
   * {@code first}.
   */
  List<Integer> unprotected(long first, int count) throws IOException {
    List<Integer> found = new ArrayList<>();
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        SumsPage page = page(first + i);
        int entry = entry(first + i);
        boolean free = page.freeSince == snapshots && page.free.get(entry);
        if (page.entries[entry] != BlockSum.NEVER_WRITTEN && !free) {
          found.add(i);
        }
      }
    } finally {
      lock.unlock();
    }
    return found;
  }

  /** Whether so many pages are changed that they should be stored soon. */
  boolean isCrowded() {
    lock.lock();
    try {
      return dirtyPages > maxPages / 2;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes all changed sectors as they are now. Must be followed by {@link #store} or {@link
   * #giveBack}.
   */
  List<Sector> snapshot() {
    List<Sector> sectors = new ArrayList<>();
    lock.lock();
    try {
      for (SumsPage page : pages.values()) {
        for (int s = page.dirty.nextSetBit(0); s >= 0; s = page.dirty.nextSetBit(s + 1)) {
          sectors.add(new Sector(page, s, MemorySegment.ofArray(page.sector(id, s))));
          page.pins++;
        }
        page.dirty.clear();
      }
      dirtyPages = 0;
      snapshots++;
    } finally {
      lock.unlock();
    }
    return sectors;
  }

  /** Writes a snapshot. */
  void store(List<Sector> snapshot) throws IOException {
    boolean stored = false;
    try {
      for (Sector sector : snapshot) {
        long at = offset(sector.page().number) + (long) sector.number() * SumsPage.SECTOR_BYTES;
        file.write(at, sector.bytes());
      }
      stored = true;
    } finally {
      if (stored) {
        unpin(snapshot, false);
      } else {
        giveBack(snapshot);
      }
    }
  }

  /** Counts what a snapshot holds as changed again, because it could not be stored. */
  void giveBack(List<Sector> snapshot) {
    unpin(snapshot, true);
  }

  private void unpin(List<Sector> snapshot, boolean dirty) {
    lock.lock();
    try {
      for (Sector sector : snapshot) {
        SumsPage page = sector.page();
        page.pins--;
        if (dirty) {
          if (page.dirty.isEmpty()) {
            dirtyPages++;
          }
          page.dirty.set(sector.number());
        }
      }
      evict();
    } finally {
      lock.unlock();
    }
  }

  /** Forgets the sums from {@code block} on. Returns whether there were any, here or on disk. */
  boolean cut(long block) throws IOException {
    lock.lock();
    try {
      boolean any = pages.keySet().removeIf(number -> number * SumsPage.ENTRIES >= block);
      SumsPage edge = page(block);
      boolean clean = edge.dirty.isEmpty();
      for (int i = entry(block); i < SumsPage.ENTRIES; i++) {
        any |= edge.entries[i] != BlockSum.NEVER_WRITTEN;
        edge.set(i, BlockSum.NEVER_WRITTEN);
      }
      if (clean && !edge.dirty.isEmpty()) {
        dirtyPages++;
      }
      dirtyPages = (int) pages.values().stream().filter(p -> !p.dirty.isEmpty()).count();
      return any || file.size() > offset(block / SumsPage.ENTRIES + 1);
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #cut}, durably. All that was written must be forced before. */
  void cutDurably(long block) throws IOException {
    cut(block);
    store(snapshot());
    truncate(block);
    file.force();
  }

  /** How long the file of a strand that ends with so many blocks must be. */
  static long minBytes(long blocks) {
    return blocks == 0 ? SumsHeader.BYTES : offset((blocks - 1) / SumsPage.ENTRIES + 1);
  }

  /**
   * Makes the file as long as it must be, durably, before a header says so: sums of blocks never
   * written are holes in it, and a file that is shorter has lost some.
   */
  void reach(long blocks) throws IOException {
    if (file.size() < minBytes(blocks)) {
      reaching = true; // until it is forced, however often that fails
      file.resize(minBytes(blocks));
    }
    if (reaching) {
      file.force();
      reaching = false;
    }
  }

  /** Cuts the file behind the page of {@code block}. */
  void truncate(long block) throws IOException {
    long max = offset(block / SumsPage.ENTRIES + 1);
    if (file.size() > max) {
      file.resize(max);
    }
  }

  @GuardedBy("lock")
  private SumsPage page(long block) throws IOException {
    long number = block / SumsPage.ENTRIES;
    SumsPage page = pages.get(number);
    if (page != null) {
      return page;
    }
    page = new SumsPage(number);
    MemorySegment bytes = MemorySegment.ofArray(new byte[SumsPage.BYTES]);
    FullReads.full(file, offset(number), bytes);
    int bad = page.load(id, bytes);
    if (bad >= 0) {
      long from = number * SumsPage.ENTRIES + (long) bad * SumsPage.PER_SECTOR;
      throw new CorruptBlockException(
          name
              + ": "
              + id
              + ": the checksums of blocks "
              + from
              + " to "
              + (from + SumsPage.PER_SECTOR - 1)
              + " are destroyed: bad sector at offset "
              + (offset(number) + (long) bad * SumsPage.SECTOR_BYTES));
    }
    pages.put(number, page);
    evict();
    return page;
  }

  /** Drops the eldest pages that the disk knows, never the youngest, which is about to be used. */
  @GuardedBy("lock")
  private void evict() {
    Iterator<SumsPage> eldest = pages.values().iterator();
    while (pages.size() > maxPages && eldest.hasNext()) {
      SumsPage page = eldest.next();
      if (page.dirty.isEmpty() && page.pins == 0 && eldest.hasNext()) {
        eldest.remove();
      }
    }
  }

  private static int entry(long block) {
    return (int) (block % SumsPage.ENTRIES);
  }

  /** Where page {@code number} stands in the file: behind the header's page. */
  private static long offset(long number) {
    return (number + 1) * SumsPage.BYTES;
  }
}
