package org.millrace.access;

/**
 * The current vector of a {@link Runs} cursor: equal runs at a constant stride, restricted to the
 * windows. Owned by the cursor's thread.
 *
 * <pre>
 *     0      next   whole            wholeEnd  last
 *     |      |      |                |         |
 *     out    cut    not cut          cut       out
 * </pre>
 */
final class Leaf {

  long offset;
  long position;
  long length;
  long stride;

  /** The next run to yield. */
  long next;

  long last;
  long whole;
  long wholeEnd;

  void clear() {
    next = 0;
    last = 0;
  }

  boolean hasNext() {
    return next < last;
  }

  /** Stands before one run that no window cuts any more; none if it has no bytes. */
  void setRun(long base, long at, long bytes) {
    offset = base;
    position = at;
    length = bytes;
    stride = bytes;
    next = 0;
    last = bytes > 0 ? 1 : 0;
    whole = 0;
    wholeEnd = last;
  }

  /** Stands before {@code runs} runs of {@code bytes} bytes, as far as the windows touch them. */
  void set(Window window, long base, long at, long bytes, long step, long runs, boolean isInside) {
    offset = base;
    position = at;
    length = bytes;
    stride = step;
    next = 0;
    last = runs;
    whole = 0;
    wholeEnd = runs;
    if (!isInside) {
      clip(window, runs);
    }
    if (window.isPeriodic() && next < last) {
      next += window.skip(offset + next * stride, stride, length);
      if (next < 0) {
        // Never, added to a run number.
        last = next;
      }
    }
  }

  private void clip(Window window, long runs) {
    long end = offset + length;
    if (window.fromPosition > position) {
      next = (window.fromPosition - position) / length;
      whole = Math.ceilDiv(window.fromPosition - position, length);
    }
    next = Math.max(next, window.firstTouching(offset, end, stride));
    whole = Math.max(whole, window.firstInside(offset, end, stride));
    long bytes = window.toPosition - position;
    last = Math.min(runs, Math.ceilDiv(bytes, length));
    last = Math.min(last, window.endTouching(offset, end, stride));
    wholeEnd = Math.min(runs, Math.floorDiv(bytes, length));
    wholeEnd = Math.min(wholeEnd, window.endInside(offset, end, stride));
  }
}
