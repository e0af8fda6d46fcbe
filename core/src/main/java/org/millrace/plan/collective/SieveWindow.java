package org.millrace.plan.collective;

import org.millrace.access.Access;
import org.millrace.access.Runs;
import org.millrace.access.View;

/**
 * How far a list of the sieved strategy reaches: until the blocks that contain wanted bytes reach
 * the size that a list may cover. Gaps of whole blocks do not count, because no node touches them.
 * So a list has as many scattered records as adjacent ones, however many ranks lie between two of
 * them, and what a node reads for a list is bounded.
 *
 * <p>Stateless.
 */
public final class SieveWindow {

  /** Where at least one byte in so many is wanted, a list covers that many bytes in a row. */
  private static final long DENSE = 8;

  private SieveWindow() {}

  /**
   * One past the last position of a list that begins at {@code from} of an access whose view
   * ascends.
   */
  public static long end(Access access, long from, long sieveBytes, int blockBytes) {
    View view = access.view();
    long row = access.from() + access.below(saturated(view.offsetOf(from), sieveBytes));
    if (row == access.to() || row - from >= sieveBytes / DENSE) {
      return row;
    }
    return Math.max(row, access.from() + access.below(reach(access, from, sieveBytes, blockBytes)));
  }

  /** The file offset where the blocks that are wanted from {@code from} on have become enough. */
  private static long reach(Access access, long from, long sieveBytes, int blockBytes) {
    long left = Math.max(1, sieveBytes / blockBytes);
    long next = 0; // the first block that was not counted
    Runs runs = access.view().runs(from, access.to());
    while (runs.next()) {
      boolean close = runs.stride() <= blockBytes;
      long length = close ? runs.length() + (runs.count() - 1) * runs.stride() : runs.length();
      for (long i = 0; i < (close ? 1 : runs.count()); i++) {
        long start = runs.offset() + i * runs.stride();
        long first = Math.max(next, start / blockBytes);
        long last = (start + length - 1) / blockBytes;
        if (last - first >= left) {
          return (first + left) * blockBytes;
        }
        left -= Math.max(0, last + 1 - first);
        next = Math.max(next, last + 1);
      }
    }
    return Long.MAX_VALUE;
  }

  private static long saturated(long offset, long bytes) {
    return offset > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : offset + bytes;
  }
}
