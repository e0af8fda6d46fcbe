package org.millrace.heritage.mpiio;

import java.util.ArrayList;
import java.util.List;

/**
 * A datatype as the standard defines it: a plain list of basic elements and markers of bounds. The
 * oracle of {@link Datatype}. Immutable.
 */
record TypeMap(List<Entry> entries) {

  private static final int LB = 0;
  private static final int UB = -1;

  /**
   * An element of some width, or a marker (width 0 or -1), at a displacement.
   *
   * @param unit the width of the element's numbers: a complex one has two
   */
  record Entry(int width, long at, int unit) {

    Entry(int width, long at) {
      this(width, at, width);
    }
  }

  static TypeMap basic(int width) {
    return basic(width, width);
  }

  static TypeMap basic(int width, int unit) {
    return new TypeMap(List.of(new Entry(width, 0, unit)));
  }

  List<Entry> elements() {
    return entries.stream().filter(entry -> entry.width > 0).toList();
  }

  private boolean hasMarks() {
    return entries.stream().anyMatch(entry -> entry.width <= 0);
  }

  long size() {
    return elements().stream().mapToLong(Entry::width).sum();
  }

  long lb() {
    return entries.stream()
        .filter(entry -> hasMarks() ? entry.width == LB : entry.width > 0)
        .mapToLong(Entry::at)
        .min()
        .orElse(0);
  }

  long ub() {
    if (hasMarks()) {
      return entries.stream()
          .filter(entry -> entry.width == UB)
          .mapToLong(Entry::at)
          .max()
          .orElseThrow();
    }
    int align = elements().stream().mapToInt(Entry::unit).max().orElse(1);
    long end = lb() + trueExtent();
    while ((end - lb()) % align != 0) {
      end++;
    }
    return end;
  }

  long extent() {
    return ub() - lb();
  }

  long trueLb() {
    return elements().stream().mapToLong(Entry::at).min().orElse(0);
  }

  long trueExtent() {
    return elements().stream().mapToLong(e -> e.at + e.width).max().orElse(0) - trueLb();
  }

  /** The offsets of all bytes, in order. */
  List<Long> bytes() {
    List<Long> bytes = new ArrayList<>();
    for (Entry entry : elements()) {
      for (int i = 0; i < entry.width; i++) {
        bytes.add(entry.at + i);
      }
    }
    return bytes;
  }

  boolean isOrdered() {
    List<Entry> all = elements();
    for (int i = 1; i < all.size(); i++) {
      if (all.get(i).at < all.get(i - 1).at) {
        return false;
      }
    }
    return true;
  }

  /** This one's copies at displacements, one after the other. */
  TypeMap at(List<Long> displacements) {
    List<Entry> all = new ArrayList<>();
    for (long displacement : displacements) {
      for (Entry entry : entries) {
        all.add(new Entry(entry.width, entry.at + displacement, entry.unit));
      }
    }
    return new TypeMap(all);
  }

  TypeMap then(TypeMap other) {
    List<Entry> all = new ArrayList<>(entries);
    all.addAll(other.entries);
    return new TypeMap(all);
  }

  TypeMap contiguous(long count) {
    return hvector(count, 1, extent());
  }

  TypeMap hvector(long count, long blockLength, long strideBytes) {
    List<Long> displacements = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      for (long j = 0; j < blockLength; j++) {
        displacements.add(i * strideBytes + j * extent());
      }
    }
    return at(displacements);
  }

  TypeMap hindexed(long[] lengths, long[] displacements) {
    TypeMap all = new TypeMap(List.of());
    for (int i = 0; i < lengths.length; i++) {
      all = all.then(contiguous(lengths[i]).at(List.of(displacements[i])));
    }
    return all;
  }

  TypeMap resized(long lb, long extent) {
    List<Entry> all = new ArrayList<>(elements());
    all.add(new Entry(LB, lb));
    all.add(new Entry(UB, lb + extent));
    return new TypeMap(all);
  }

  /** The chosen elements of an array of this, with the whole array's bounds. */
  TypeMap array(long wholeElements, List<Long> chosen) {
    List<Long> displacements = chosen.stream().map(one -> one * extent()).toList();
    return at(displacements).resized(0, wholeElements * extent());
  }
}
