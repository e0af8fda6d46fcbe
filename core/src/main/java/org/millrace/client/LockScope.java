package org.millrace.client;

import org.millrace.access.Extent;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.protocol.FileLockName;

/**
 * Which bytes of a file an access locks: those of neighbouring strands, counted round, in a range.
 * It may be more than the access touches, so that a lock is a few numbers; but never bytes of a
 * strand that lies outside the smallest such interval of strands. Immutable.
 *
 * @param file the file's id
 * @param layout its layout
 * @param first the first of the strands
 * @param strands how many of them
 * @param range from the first to the last byte
 */
record LockScope(long file, Layout layout, int first, int strands, Extent range) {

  /** What positions {@code from} to before {@code to} of a view touch. */
  static LockScope of(long file, Layout layout, View view, long from, long to) {
    Extent range = view.span(from, to);
    int all = layout.strands();
    if (all == 1 || from == to || view.isContiguous()) { // a short range has few strands by itself
      return new LockScope(file, layout, 0, all, range);
    }
    boolean[] touched = layout.touches(view, from, to);
    // The longest gap, looking round from behind a strand that is touched.
    int start = 0;
    while (!touched[start]) {
      start++;
    }
    int gapEnd = start;
    int gap = 0;
    int open = 0;
    for (int i = 1; i <= all; i++) {
      if (touched[(start + i) % all]) {
        if (open > gap) {
          gap = open;
          gapEnd = (start + i) % all;
        }
        open = 0;
      } else {
        open++;
      }
    }
    return new LockScope(file, layout, gap == 0 ? 0 : gapEnd, all - gap, range);
  }

  /** The name of a lock of these strands. */
  FileLockName name() {
    return name(first, strands);
  }

  /** The name of a lock of other strands of the file. */
  FileLockName name(int from, int count) {
    return count == layout.strands()
        ? FileLockName.all(file)
        : new FileLockName(
            file,
            layout.roundBytes(),
            from * layout.stripeUnitBytes(),
            count * layout.stripeUnitBytes());
  }
}
