package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes that a transaction has written to one file and not applied yet: pages of the file with a
 * bit for each written byte, so that overlapping writes need no order.
 *
 * <p>Belongs to the rank's thread.
 */
final class WrittenBytes {

  static final int PAGE = 4096;

  private static final class Page {
    private final byte[] bytes = new byte[PAGE];
    private final BitSet written = new BitSet(PAGE);
  }

  /** Takes the runs one after the other. */
  interface Sink {
    /**
     * {@code length} bytes at {@code offset} of the file: those of {@code bytes} from {@code at}.
     */
    void run(long offset, byte[] bytes, int at, int length) throws IOException;
  }

  private final TreeMap<Long, Page> pages = new TreeMap<>();
  private long end;

  /** How many pages are kept. */
  int pages() {
    return pages.size();
  }

  /** One past the highest byte that was written; 0 if none was. */
  long end() {
    return end;
  }

  /** The page of a byte. */
  static long page(long offset) {
    return offset / PAGE;
  }

  /** How many pages a write of this range would add, not counting those up to {@code last}. */
  long pagesMore(long offset, long length, long last) {
    long more = 0;
    for (long page = Math.max(page(offset), last + 1); page <= page(offset + length - 1); page++) {
      more += pages.containsKey(page) ? 0 : 1;
    }
    return more;
  }

  void write(long offset, MemorySegment from, long at, long length) {
    long done = 0;
    while (done < length) {
      long place = offset + done;
      int inPage = (int) (place % PAGE);
      int part = (int) Math.min(PAGE - inPage, length - done);
      Page page = pages.computeIfAbsent(place / PAGE, _ -> new Page());
      MemorySegment.copy(from, at + done, MemorySegment.ofArray(page.bytes), inPage, part);
      page.written.set(inPage, inPage + part);
      done += part;
    }
    end = Math.max(end, offset + length);
  }

  /** Puts what was written over a range of the file's bytes in memory. */
  void overlay(long offset, MemorySegment into, long at, long length) {
    if (length == 0) {
      return;
    }
    for (Map.Entry<Long, Page> one :
        pages.subMap(offset / PAGE, true, (offset + length - 1) / PAGE, true).entrySet()) {
      Page page = one.getValue();
      long start = one.getKey() * PAGE;
      int from = (int) Math.max(0, offset - start);
      int to = (int) Math.min(PAGE, offset + length - start);
      for (int run = page.written.nextSetBit(from); run >= 0 && run < to; ) {
        int stop = Math.min(to, page.written.nextClearBit(run));
        MemorySegment bytes = MemorySegment.ofArray(page.bytes);
        MemorySegment.copy(bytes, run, into, at + start + run - offset, stop - run);
        run = page.written.nextSetBit(stop);
      }
    }
  }

  /** Gives all runs, ascending, cut at the ends of pages. */
  void forEach(Sink sink) throws IOException {
    for (Map.Entry<Long, Page> one : pages.entrySet()) {
      Page page = one.getValue();
      for (int run = page.written.nextSetBit(0); run >= 0; ) {
        int stop = page.written.nextClearBit(run);
        sink.run(one.getKey() * PAGE + run, page.bytes, run, stop - run);
        run = page.written.nextSetBit(stop);
      }
    }
  }
}
