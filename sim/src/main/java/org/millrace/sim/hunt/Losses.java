package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.disk.MemoryDisk;

/**
 * The effects of a power loss on a disk: unforced sectors that are lost, and unforced sectors that
 * have survived.
 *
 * @param lost sectors that are not as they were
 * @param torn files of which some sectors were lost, and others, not forced either, were not
 */
record Losses(long lost, long torn) {

  private static final int SECTOR = 512;

  /** Compares a disk before and after. */
  static Losses between(MemoryDisk before, MemoryDisk after) throws IOException {
    MemoryDisk forced = before.crash();
    long lost = 0;
    long torn = 0;
    for (String file : before.list()) {
      byte[] was = content(before, file);
      byte[] is = content(after, file);
      byte[] safe = content(forced, file);
      long gone = differing(was, is);
      lost += gone;
      torn += gone > 0 && differing(is, safe) > 0 ? 1 : 0;
    }
    return new Losses(lost, torn);
  }

  private static byte[] content(MemoryDisk disk, String file) throws IOException {
    if (!disk.exists(file)) {
      return new byte[0];
    }
    try (var opened = disk.open(file)) {
      byte[] bytes = new byte[Math.toIntExact(opened.size())];
      opened.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  private static long differing(byte[] a, byte[] b) {
    long count = 0;
    for (int at = 0; at < Math.max(a.length, b.length); at += SECTOR) {
      count += isSame(a, b, at) ? 0 : 1;
    }
    return count;
  }

  private static boolean isSame(byte[] a, byte[] b, int at) {
    for (int i = at; i < at + SECTOR; i++) {
      if ((i < a.length ? a[i] : 0) != (i < b.length ? b[i] : 0)) {
        return false;
      }
    }
    return true;
  }
}
