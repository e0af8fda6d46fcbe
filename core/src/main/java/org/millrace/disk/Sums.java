package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.CorruptBlockException;

/**
 * The sums of a strand's blocks: pages of its sums file, read on demand, the least recently used
 * forgotten first. Changed pages stay in memory and reach the disk only by {@link #snapshot} and
 * {@link #store}, because a sum on disk must never be newer than its block: a thread that stores a
 * snapshot has forced the data in between.
 *
 * <p>It also knows which blocks may be overwritten without an intent: those that have no sum on
 * disk. That ceases with the next snapshot.
 *
 * <p>Safe for use by several threads; calls for the same block are kept apart by the caller.
 */
final class Sums {

  /** One changed sector as it was when the snapshot was made. */
  record Sector(SumsPage page, int number, MemorySegment bytes) {}

  // Constant after construction.
  private final DiskFile file;
  private final StrandKey id;
  private final int blockBytes;
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

  /** The pages that are in the file, durably and whole. */
  @GuardedBy("lock")
  private PageRuns present;

  Sums(DiskFile file, SumsHeader header, String name, int maxPages) {
    this.file = file;
    this.id = header.id();
    this.blockBytes = header.blockBytes();
    this.present = header.pages();
    this.name = name;
    this.maxPages = maxPages;
  }

  /** The sums of {@code count} blocks. */
  int[] get(long first, int count) throws IOException {
    int[] sums = new int[count];
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        sums[i] = good(first + i).entries[entry(first + i)];
      }
    } finally {
      lock.unlock();
    }
    return sums;
  }

  /** The sums of some blocks; none of those that are lost. */
  SortedMap<Long, Integer> of(Collection<Long> blocks) throws IOException {
    SortedMap<Long, Integer> found = new TreeMap<>();
    for (long block : blocks) {
      found.put(block, known(block));
    }
    return found;
  }

  /** The sum of a block; none if it is lost: then who reads the block is told. */
  int known(long block) throws IOException {
    try {
      return get(block, 1)[0];
    } catch (CorruptBlockException e) {
      return BlockSum.NEVER_WRITTEN;
    }
  }

  /** The first block of {@code [first, before)} that has a sum, or {@code before}. */
  long nextWritten(long first, long before) throws IOException {
    for (long block = first; block < before; ) {
      long pageEnd = Math.min(before, (block / SumsPage.ENTRIES + 1) * SumsPage.ENTRIES);
      lock.lock(); // for one page at a time: a large hole has many
      try {
        if (!isPresent(block)) {
          block = pageEnd;
          continue;
        }
        SumsPage page = page(block);
        for (; block < pageEnd; block++) {
          int entry = entry(block);
          boolean lost = page.bad.get(entry / SumsPage.PER_SECTOR); // who reads it is told
          if (lost || page.entries[entry] != BlockSum.NEVER_WRITTEN) {
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
   * Sets the sums of the blocks from {@code first} on. Those that had none may be overwritten
   * freely until the next snapshot.
   */
  void set(long first, int[] sums) throws IOException {
    lock.lock();
    try {
      for (int i = 0; i < sums.length; i++) {
        SumsPage page = good(first + i);
        boolean clean = page.dirty.isEmpty();
        boolean fresh = page.entries[entry(first + i)] == BlockSum.NEVER_WRITTEN;
        page.set(entry(first + i), sums[i]);
        if (clean && !page.dirty.isEmpty()) {
          dirtyPages++;
        }
        if (page.freeSince != snapshots) {
          page.free.clear();
          page.freeSince = snapshots;
        }
        if (fresh) {
          page.free.set(entry(first + i));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Which of {@code count} blocks have a sum on disk, as offsets from {@code first}: they must have
   * an intent before they are overwritten.
   */
  List<Integer> summed(long first, int count) throws IOException {
    List<Integer> found = new ArrayList<>();
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        SumsPage page = good(first + i);
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

  /**
   * Forgets the sums from {@code block} on. Returns whether there were any, here or on disk. The
   * first page stays in any case, as a new strand has it.
   */
  boolean cut(long block) throws IOException {
    lock.lock();
    try {
      long kept = Math.max(1, Math.ceilDiv(block, SumsPage.ENTRIES));
      boolean any = pages.keySet().removeIf(number -> number >= kept) || present.end() > kept;
      present = present.below(kept);
      if (block < kept * SumsPage.ENTRIES) {
        any |= clear(page(block), entry(block));
      }
      dirtyPages = (int) pages.values().stream().filter(p -> !p.dirty.isEmpty()).count();
      return any;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets the sums of a page from an entry on; sectors that are lost with all of theirs. */
  private static boolean clear(SumsPage page, int from) {
    boolean any = false;
    for (int i = from; i < SumsPage.ENTRIES; i++) {
      int sector = i / SumsPage.PER_SECTOR;
      if (page.bad.get(sector) && i % SumsPage.PER_SECTOR == 0) {
        page.bad.clear(sector);
        page.dirty.set(sector);
        any = true;
      }
      if (!page.bad.get(sector)) {
        any |= page.entries[i] != BlockSum.NEVER_WRITTEN;
        page.set(i, BlockSum.NEVER_WRITTEN);
      }
    }
    return any;
  }

  /** Which pages are in the file, for the header. */
  PageRuns present() {
    lock.lock();
    try {
      return present;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a new strand's file: the header and the first page. */
  static void begin(DiskFile file, SumsHeader header) throws IOException {
    header.writeTo(file);
    file.write(offset(0), MemorySegment.ofArray(new SumsPage(0).bytes(header.id())));
  }

  /**
   * Makes the pages of a snapshot that are not in the file yet, without sums, durably: before a
   * header says that they are there. So a header never names a page that is not whole, and a sector
   * of zeros in a page that it names was lost. What the file held there before does not count.
   */
  void reach(List<Sector> snapshot) throws IOException {
    PageRuns before = present();
    TreeSet<Long> fresh = new TreeSet<>();
    for (Sector sector : snapshot) {
      if (!before.has(sector.page().number)) {
        fresh.add(sector.page().number);
      }
    }
    if (fresh.isEmpty()) {
      return;
    }
    PageRuns next = before.with(fresh, name);
    for (PageRuns.Run run : next.runs()) {
      for (long page = run.from(); page < run.to(); page++) {
        if (!before.has(page)) {
          file.write(offset(page), MemorySegment.ofArray(new SumsPage(page).bytes(id)));
        }
      }
    }
    file.force();
    lock.lock();
    try {
      present = next;
    } finally {
      lock.unlock();
    }
  }

  /** Cuts the file behind the last page. */
  void truncate() throws IOException {
    long max = offset(present().end());
    if (file.size() > max) {
      file.resize(max);
    }
  }

  @GuardedBy("lock")
  private boolean isPresent(long block) {
    long number = block / SumsPage.ENTRIES;
    return pages.containsKey(number) || present.has(number);
  }

  /** The page of a block whose sum must be known. */
  @GuardedBy("lock")
  private SumsPage good(long block) throws IOException {
    SumsPage page = page(block);
    int sector = entry(block) / SumsPage.PER_SECTOR;
    if (page.bad.get(sector)) {
      long from = page.number * SumsPage.ENTRIES + (long) sector * SumsPage.PER_SECTOR;
      throw CorruptBlockException.in(
          id.strand(),
          from * blockBytes,
          (from + SumsPage.PER_SECTOR) * blockBytes,
          "%s: %s: the checksums of blocks %s to %s are destroyed: bad sector at offset %s"
              .formatted(
                  name,
                  id,
                  from,
                  from + SumsPage.PER_SECTOR - 1,
                  offset(page.number) + (long) sector * SumsPage.SECTOR_BYTES));
    }
    return page;
  }

  @GuardedBy("lock")
  private SumsPage page(long block) throws IOException {
    long number = block / SumsPage.ENTRIES;
    SumsPage page = pages.get(number);
    if (page != null) {
      return page;
    }
    page = new SumsPage(number);
    if (present.has(number)) {
      page.load(id, read(number));
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

  /**
   * Reads the pages again that are in memory and should be the same on the disk. Sectors that are
   * not are written again with the next snapshot. Returns how many there are.
   */
  int verify() throws IOException {
    int rotten = 0;
    lock.lock();
    try {
      for (SumsPage page : pages.values()) {
        if (page.pins == 0 && present.has(page.number)) {
          boolean clean = page.dirty.isEmpty();
          rotten += page.differing(id, read(page.number));
          if (clean && !page.dirty.isEmpty()) {
            dirtyPages++;
          }
        }
      }
      return rotten;
    } finally {
      lock.unlock();
    }
  }

  private MemorySegment read(long number) throws IOException {
    MemorySegment bytes = MemorySegment.ofArray(new byte[SumsPage.BYTES]);
    FullReads.full(file, offset(number), bytes); // what is missing of it stays zero: lost
    return bytes;
  }

  private static int entry(long block) {
    return (int) (block % SumsPage.ENTRIES);
  }

  /** Where page {@code number} stands in the file: behind the two with headers. */
  private static long offset(long number) {
    return (number + 2) * SumsPage.BYTES;
  }
}
