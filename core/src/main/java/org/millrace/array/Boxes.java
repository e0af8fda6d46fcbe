package org.millrace.array;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.copy.Packer;
import org.millrace.access.copy.Places;

/**
 * Intersections and differences of two sections of an array. Indices are relative to a section's
 * own elements: 0 is its first one along a dimension. Stateless.
 */
final class Boxes {

  private Boxes() {}

  /**
   * The elements of {@code whole} that {@code part}, which lies in it, has, in whole's own indices.
   */
  static Section inside(Section whole, Section part) {
    List<Range> ranges = new ArrayList<>();
    for (int d = 0; d < whole.dimensions(); d++) {
      Range outer = whole.range(d);
      Range inner = part.range(d);
      ranges.add(
          inner.isEmpty()
              ? Range.EMPTY
              : new Range(
                  (inner.lower() - outer.lower()) / outer.stride(),
                  (inner.upper() - outer.lower()) / outer.stride(),
                  Math.max(1, inner.stride() / outer.stride())));
    }
    return new Section(ranges);
  }

  /** What both have, if in each of them it is a box without gaps; else an empty section. */
  static Section shared(Section a, Section b) {
    Section common = a.intersect(b);
    boolean fits = !common.isEmpty() && isBox(inside(a, common)) && isBox(inside(b, common));
    return fits
        ? common
        : a.intersect(new Section(a.ranges().stream().map(_ -> Range.EMPTY).toList()));
  }

  private static boolean isBox(Section section) {
    return section.ranges().stream().allMatch(range -> range.stride() == 1);
  }

  /**
   * The rest of a section without a box in it, both in the section's own indices: at most two boxes
   * for each dimension, none of which overlap.
   */
  static List<Section> without(Shape whole, Section box) {
    List<Section> rest = new ArrayList<>();
    if (whole.elements() == 0) {
      return rest;
    }
    List<Range> current = new ArrayList<>(Section.whole(whole).ranges());
    if (box.isEmpty()) {
      return List.of(new Section(current));
    }
    for (int n = whole.dimensions() - 1; n >= 0; n--) { // slowest first: long rows stay whole
      int d = whole.fastest(n);
      Range taken = box.range(d);
      addSlab(rest, current, d, Range.of(0, taken.lower() - 1));
      addSlab(rest, current, d, Range.of(taken.upper() + 1, whole.dimension(d) - 1));
      current.set(d, taken);
    }
    return rest;
  }

  private static void addSlab(List<Section> rest, List<Range> current, int d, Range range) {
    if (!range.isEmpty()) {
      List<Range> slab = new ArrayList<>(current);
      slab.set(d, range);
      rest.add(new Section(slab));
    }
  }

  /** The elements of the array that a box in a section's own indices means. */
  static Section outside(Section whole, Section box) {
    List<Range> ranges = new ArrayList<>();
    for (int d = 0; d < whole.dimensions(); d++) {
      Range outer = whole.range(d);
      Range inner = box.range(d);
      ranges.add(
          new Range(
              outer.lower() + inner.lower() * outer.stride(),
              outer.lower() + inner.upper() * outer.stride(),
              outer.stride()));
    }
    return new Section(ranges);
  }

  /**
   * Copies a box from one packed array to another; both boxes have the same counts, and both arrays
   * the same order.
   */
  static void copy(
      MemorySegment from,
      Shape fromShape,
      Section fromBox,
      MemorySegment to,
      Shape toShape,
      Section toBox,
      int elementBytes) {
    Pattern source = fromBox.in(fromShape, elementBytes);
    Pattern target = toBox.in(toShape, elementBytes);
    Packer.copy(from, new Places(source, 0), to, new Places(target, 0), source.size());
  }
}
