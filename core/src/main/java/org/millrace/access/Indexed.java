package org.millrace.access;

import java.util.Arrays;

/**
 * An irregular list of runs, in the order given. Two numbers for each run: its offset, and the
 * position at which it starts. Immutable.
 */
public final class Indexed extends PatternNode {

  // Constant after construction.
  final long[] offsets;

  /** Where each run's positions start; one more entry than runs, the last is the size. */
  final long[] starts;

  private final int hash;

  /** Takes the arrays over: at least two runs, none empty, neighbours joined. */
  Indexed(long[] offsets, long[] starts) {
    super(
        starts[offsets.length],
        Arrays.stream(offsets).min().orElseThrow(),
        highest(offsets, starts),
        offsets.length,
        1,
        ascends(offsets, starts));
    this.offsets = offsets;
    this.starts = starts;
    this.hash = Arrays.hashCode(offsets) * 31 + Arrays.hashCode(starts);
  }

  private static long highest(long[] offsets, long[] starts) {
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < offsets.length; i++) {
      highest = Math.max(highest, offsets[i] + (starts[i + 1] - starts[i]));
    }
    return highest;
  }

  private static boolean ascends(long[] offsets, long[] starts) {
    for (int i = 1; i < offsets.length; i++) {
      if (offsets[i - 1] + (starts[i] - starts[i - 1]) > offsets[i]) {
        return false;
      }
    }
    return true;
  }

  /** How many runs. */
  public int entries() {
    return offsets.length;
  }

  /** Where a run starts. */
  public long offset(int entry) {
    return offsets[entry];
  }

  /** How long a run is. */
  public long length(int entry) {
    return starts[entry + 1] - starts[entry];
  }

  /** The entry that holds a position. */
  int entryAt(long position) {
    return Search.last(starts, offsets.length, position);
  }

  @Override
  long at(long position) {
    int entry = entryAt(position);
    return offsets[entry] + (position - starts[entry]);
  }

  @Override
  long below(long offset) {
    int entry = Search.last(offsets, offsets.length, offset);
    return entry < 0 ? 0 : Math.min(starts[entry] + (offset - offsets[entry]), starts[entry + 1]);
  }

  @Override
  long low(long from, long to) {
    if (ascending) {
      return at(from);
    }
    int entry = entryAt(from);
    long result = offsets[entry] + (from - starts[entry]);
    while (++entry < offsets.length && starts[entry] < to) {
      result = Math.min(result, offsets[entry]);
    }
    return result;
  }

  @Override
  long high(long from, long to) {
    if (ascending) {
      return at(to - 1) + 1;
    }
    long result = Long.MIN_VALUE;
    for (int entry = entryAt(from); entry < offsets.length && starts[entry] < to; entry++) {
      long end = Math.min(to, starts[entry + 1]);
      result = Math.max(result, offsets[entry] + (end - starts[entry]));
    }
    return result;
  }

  @Override
  public boolean isClearlyDisjoint() {
    long[] to = new long[offsets.length];
    for (int i = 0; i < to.length; i++) {
      to[i] = offsets[i] + length(i);
    }
    return Disjoint.intervals(offsets.clone(), to);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Indexed that
            && hash == that.hash
            && Arrays.equals(offsets, that.offsets)
            && Arrays.equals(starts, that.starts));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "indexed("
        + offsets.length
        + " runs, "
        + size
        + " bytes in ["
        + first
        + ","
        + end
        + "))";
  }
}
