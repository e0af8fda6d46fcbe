package org.millrace.access;

/**
 * The bytes that a {@link Runs} cursor may yield: a range of positions, a range of offsets, and
 * perhaps a window that repeats with a period. Owned by the cursor's thread.
 */
final class Window {

  private static final long NO_PERIOD = 0;

  long fromPosition;
  long toPosition;
  long fromOffset;
  long toOffset;
  private long period;
  private long periodFrom;
  private long periodLength;

  void set(long fromPosition, long toPosition, long fromOffset, long toOffset) {
    this.fromPosition = fromPosition;
    this.toPosition = toPosition;
    this.fromOffset = fromOffset;
    this.toOffset = toOffset;
    period = NO_PERIOD;
  }

  void setPeriod(long period, long from, long length) {
    if (period <= 0 || period > 1L << 62 || length <= 0 || length > period) {
      throw new IllegalArgumentException(
          "window of " + length + " bytes in a period of " + period + " bytes");
    }
    this.period = period;
    periodFrom = from;
    periodLength = length;
  }

  boolean isEmpty() {
    return fromPosition >= toPosition || fromOffset >= toOffset;
  }

  boolean isPeriodic() {
    return period != NO_PERIOD;
  }

  /** Whether a node at the given base and position lies inside, whole. */
  boolean holds(PatternNode node, long base, long position) {
    return position >= fromPosition
        && position + node.size <= toPosition
        && base + node.first >= fromOffset
        && base + node.end <= toOffset;
  }

  /** Whether any of a node's positions and of its span are inside. */
  boolean touches(PatternNode node, long base, long position) {
    return position < toPosition
        && position + node.size > fromPosition
        && base + node.first < toOffset
        && base + node.end > fromOffset;
  }

  /** The first turn at which what lies from {@code low} to {@code high} may touch the offsets. */
  long firstTouching(long low, long high, long step) {
    if (step > 0) {
      return Math.floorDiv(fromOffset - high, step) + 1;
    } else if (step < 0) {
      return Math.floorDiv(low - toOffset, -step) + 1;
    }
    return low < toOffset && high > fromOffset ? 0 : Long.MAX_VALUE;
  }

  /** One past the last turn at which it may touch the offsets. */
  long endTouching(long low, long high, long step) {
    if (step > 0) {
      return Math.ceilDiv(toOffset - low, step);
    } else if (step < 0) {
      return Math.ceilDiv(high - fromOffset, -step);
    }
    return Long.MAX_VALUE;
  }

  /** The first turn at which what lies from {@code low} to {@code high} is inside the offsets. */
  long firstInside(long low, long high, long step) {
    if (step > 0) {
      return Math.ceilDiv(fromOffset - low, step);
    } else if (step < 0) {
      return Math.ceilDiv(high - toOffset, -step);
    }
    return low >= fromOffset && high <= toOffset ? 0 : Long.MAX_VALUE;
  }

  /** One past the last turn at which it is inside the offsets. */
  long endInside(long low, long high, long step) {
    if (step > 0) {
      return Math.floorDiv(toOffset - high, step) + 1;
    } else if (step < 0) {
      return Math.floorDiv(low - fromOffset, -step) + 1;
    }
    return Long.MAX_VALUE;
  }

  /** How many turns until {@code bytes} bytes at {@code start} touch the periodic window. */
  long skip(long start, long step, long bytes) {
    return Residues.firstTouch(start - periodFrom, step, bytes, period, periodLength);
  }
}
