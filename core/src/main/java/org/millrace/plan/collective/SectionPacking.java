package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.View;

/**
 * How a section of an array is packed into a buffer: gaps between its runs up to a given length are
 * transferred with them (data sieving). Immutable.
 *
 * <pre>
 *   column j       ....[####]......        gap &lt;= gapBytes: one run over both,  [####..........####]
 *   column j + 1   ....[####]......        else two runs, in the buffer side by side,  [####][####]
 * </pre>
 *
 * @param array where the array lies in the file
 * @param section what is transferred
 * @param pitches bytes from one index of a dimension to the next in the buffer, by dimension
 * @param access the bytes of the file, ascending: what lies in the buffer, byte for byte
 */
record SectionPacking(Geometry array, Section section, List<Long> pitches, Access access) {

  /** A section that is not empty; gaps of up to {@code gapBytes} are transferred along. */
  static SectionPacking of(Geometry array, Section section, long gapBytes) {
    Long[] pitches = new Long[section.dimensions()];
    Pattern pattern = Pattern.run(array.elementBytes());
    boolean contiguous = true;
    for (int n = 0; n < pitches.length; n++) {
      int d = array.shape().fastest(n);
      Range range = section.range(d);
      long stride = array.strideBytes(d) * range.stride();
      long span = pattern.end() - pattern.first();
      contiguous &= range.count() == 1 || stride - span <= gapBytes;
      pitches[d] = contiguous ? stride : pattern.size();
      pattern =
          contiguous
              ? Pattern.run((range.count() - 1) * stride + span)
              : Pattern.loop(range.count(), stride, pattern);
    }
    View view =
        new View(array.firstOffset(section), pattern, Math.max(1, pattern.end() - pattern.first()));
    return new SectionPacking(
        array, section, Arrays.asList(pitches), new Access(view, 0, pattern.size()));
  }

  /** Keeps a copy of the list. */
  SectionPacking {
    pitches = List.copyOf(pitches);
  }

  /** Bytes in the buffer. */
  long bytes() {
    return access.size();
  }

  /** Where the bytes of a part of the section lie in the buffer, in storage order. */
  Pattern places(Section part) {
    Pattern pattern = Pattern.run(array.elementBytes());
    long displacement = 0;
    for (int n = 0; n < part.dimensions(); n++) {
      int d = array.shape().fastest(n);
      Range whole = section.range(d);
      Range range = part.range(d);
      pattern =
          Pattern.loop(range.count(), range.stride() / whole.stride() * pitches.get(d), pattern);
      displacement += (range.lower() - whole.lower()) / whole.stride() * pitches.get(d);
    }
    return pattern.shifted(displacement);
  }

  /**
   * The parts of a section, by ascending offset, each of which fits a buffer: as many columns at a
   * time as it holds, as many rows of one column where one column is too much, one element at
   * least.
   */
  static final class Parts {

    // constant after construction
    private final Geometry array;
    private final Section section;
    private final long gapBytes;
    private final int level;
    private final long max;

    /** The first index of the next part in each dimension, counted within the section. */
    private final long[] next;

    private boolean done;

    Parts(Geometry array, Section section, long gapBytes, long bufferBytes) {
      this.array = array;
      this.section = section;
      this.gapBytes = gapBytes;
      this.next = new long[section.dimensions()];
      int fitting = 0;
      while (fitting < section.dimensions() - 1 && bytes(fitting + 1, 1) <= bufferBytes) {
        fitting++;
      }
      this.level = fitting;
      this.max = max(bufferBytes);
      this.done = section.isEmpty();
    }

    /** Bytes of so many indices of a level, with all of the faster dimensions. */
    private long bytes(int n, long indices) {
      long[] first = new long[next.length];
      return SectionPacking.of(array, part(n, first, indices), gapBytes).bytes();
    }

    /** How many indices of the level fit the buffer. */
    private long max(long bufferBytes) {
      long count = section.range(array.shape().fastest(level)).count();
      long one = bytes(level, 1);
      long pitch = count < 2 ? one : bytes(level, 2) - one;
      return Math.clamp((bufferBytes - one) / pitch + 1, 1, count);
    }

    /** Some indices of a level, one of each slower dimension, all of the faster ones. */
    private Section part(int n, long[] first, long indices) {
      List<Range> ranges = new ArrayList<>(section.ranges());
      for (int slower = n; slower < next.length; slower++) {
        int d = array.shape().fastest(slower);
        Range all = section.range(d);
        long lower = all.lower() + first[d] * all.stride();
        long count = slower == n ? indices : 1;
        ranges.set(d, new Range(lower, lower + (count - 1) * all.stride(), all.stride()));
      }
      return new Section(ranges);
    }

    boolean hasNext() {
      return !done;
    }

    Section next() {
      int d = array.shape().fastest(level);
      long left = section.range(d).count() - next[d];
      long indices = Math.min(max, left);
      Section part = part(level, next, indices);
      next[d] += indices;
      for (int n = level; next[d] == section.range(d).count(); d = array.shape().fastest(n)) {
        next[d] = 0;
        if (++n == next.length) {
          done = true;
          return part;
        }
        next[array.shape().fastest(n)]++;
      }
      return part;
    }
  }
}
