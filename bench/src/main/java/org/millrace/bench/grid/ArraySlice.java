package org.millrace.bench.grid;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Range;

/**
 * A strided part of a two-dimensional array in a file, as a {@link Workload.Part}. The first
 * dimension is the one whose neighbours are neighbours in the file: rows of a column-major array,
 * columns of a row-major one. Immutable.
 *
 * @param elementBytes size of an element
 * @param extent elements of the array along the first dimension
 * @param inner which of them, along the first dimension
 * @param outer which, along the second
 */
public record ArraySlice(long elementBytes, long extent, Axis inner, Axis outer) {

  /**
   * Indices {@code first}, {@code first + step}, and so on, from 0.
   *
   * @param first the first
   * @param count how many
   * @param step from one to the next
   */
  public record Axis(long first, long count, long step) {

    /** All of a dimension. */
    public static Axis all(long extent) {
      return new Axis(0, extent, 1);
    }

    /** As papers write it: {@code lower:upper}, from 1, both included. */
    static Axis section(long lower, long upper) {
      return section(lower, upper, 1);
    }

    static Axis section(long lower, long upper, long step) {
      return new Axis(lower - 1, (upper - lower) / step + 1, step);
    }

    /** HPF's BLOCK: equal blocks, the last ones smaller or empty. */
    static Axis block(long extent, int places, int place) {
      long block = Math.ceilDiv(extent, places);
      long first = Math.min(extent, block * place);
      return new Axis(first, Math.min(block, extent - first), 1);
    }

    Range range() {
      return count == 0 ? Range.EMPTY : new Range(first, first + (count - 1) * step, step);
    }

    /** HPF's CYCLIC: every {@code places}-th. */
    static Axis cyclic(long extent, int places, int place) {
      return new Axis(place, Math.ceilDiv(Math.max(0, extent - place), places), places);
    }
  }

  /** The bytes of it. */
  public Workload.Part part() {
    if (inner.count == 0 || outer.count == 0) {
      return Workload.Part.NOTHING;
    }
    long offset = (outer.first * extent + inner.first) * elementBytes;
    long run = elementBytes;
    List<Workload.Loop> loops = new ArrayList<>();
    if (inner.step == 1 || inner.count == 1) {
      run *= inner.count;
    } else {
      loops.add(new Workload.Loop(inner.count, inner.step * elementBytes));
    }
    long stride = outer.step * extent * elementBytes;
    if (loops.isEmpty() && stride == run) {
      run *= outer.count;
    } else if (outer.count > 1) {
      loops.add(new Workload.Loop(outer.count, stride));
    }
    return new Workload.Part(offset, run, loops);
  }
}
