package org.millrace.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Where an array lies in a file: its elements in storage order, from a byte on. Immutable.
 *
 * @param shape sizes of the dimensions, and which index runs fastest
 * @param elementBytes bytes of an element
 * @param start file offset of the first element
 */
public record Geometry(Shape shape, int elementBytes, long start) {

  /** Checks that the array ends within the largest file offset. */
  public Geometry {
    Objects.requireNonNull(shape, "shape");
    if (start < 0) {
      throw new IllegalArgumentException("elements begin at the negative byte " + start);
    }
    long bytes = shape.bytes(elementBytes);
    if (bytes > Long.MAX_VALUE - start) {
      throw new IllegalArgumentException(
          "an array of %s bytes from byte %s on exceeds 2^63-1".formatted(bytes, start));
    }
  }

  /** Bytes of all elements. */
  public long bytes() {
    return shape.bytes(elementBytes);
  }

  /** Where the elements end. */
  public long end() {
    return start + bytes();
  }

  /** Bytes from one index of a dimension to the next. */
  public long strideBytes(int dimension) {
    return shape.stride(dimension) * elementBytes;
  }

  /** What a rank that wants a section sees of the file. */
  public View view(Section section) {
    return view(section.in(shape, elementBytes));
  }

  /**
   * What a rank that wants a part of the array sees of the file.
   *
   * @param part its bytes, relative to the first element
   */
  public View view(Pattern part) {
    return part.size() == 0 ? View.EMPTY : new View(start, part, bytes());
  }

  /** The file offset of the first element of a section that is not empty. */
  public long firstOffset(Section section) {
    long offset = start;
    for (int d = 0; d < shape.dimensions(); d++) {
      offset += section.range(d).lower() * strideBytes(d);
    }
    return offset;
  }

  /**
   * The section that an access selects, if it selects just the bytes of one, each once and in
   * storage order. In O(dimensions * depth): the bounds are the indices of the first and the last
   * byte, the strides follow from how many bytes lie in the first index of each dimension, and what
   * this gives is compared with the access.
   */
  public Optional<Section> section(Access access) {
    if (access.isEmpty()) {
      return Optional.of(nothing());
    }
    Extent span = access.span();
    if (!access.view().isAscending()
        || span.offset() < start
        || span.end() > end()
        || (span.offset() - start) % elementBytes != 0) {
      return Optional.empty();
    }
    long[] lower = shape.index((span.offset() - start) / elementBytes);
    long[] upper = shape.index((span.end() - 1 - start) / elementBytes);
    Range[] ranges = new Range[shape.dimensions()];
    long base = start;
    long inside = access.size();
    for (int n = shape.dimensions() - 1; n >= 0; n--) {
      int d = shape.fastest(n);
      long unit = strideBytes(d);
      base += lower[d] * unit;
      long first = access.below(base + unit) - access.below(base);
      if (first == 0 || inside % first != 0 || upper[d] < lower[d]) {
        return Optional.empty();
      }
      long count = inside / first;
      if (count > upper[d] - lower[d] + 1) {
        return Optional.empty();
      }
      ranges[d] =
          new Range(lower[d], upper[d], count == 1 ? 1 : (upper[d] - lower[d]) / (count - 1));
      inside = first;
    }
    Section found = Section.of(ranges);
    Access whole = whole(found);
    return whole.equals(access) ? Optional.of(found) : Optional.empty();
  }

  /** All of a section. */
  public Access whole(Section section) {
    Pattern part = section.in(shape, elementBytes);
    return part.size() == 0 ? Access.NOTHING : new Access(view(part), 0, part.size());
  }

  /** The section without an element. */
  public Section nothing() {
    List<Range> ranges = new ArrayList<>();
    for (int d = 0; d < shape.dimensions(); d++) {
      ranges.add(Range.EMPTY);
    }
    return new Section(ranges);
  }

  /**
   * An extent of whole elements as sections without stride, by ascending offset: one if it is a
   * block of whole columns of a matrix, at most two for each dimension otherwise.
   */
  public List<Section> boxes(Extent extent) {
    long from = extent.offset() - start;
    long to = extent.end() - start;
    if (from < 0 || to > bytes() || from % elementBytes != 0 || to % elementBytes != 0) {
      throw new IllegalArgumentException(extent + " does not hold whole elements of " + this);
    }
    List<Section> boxes = new ArrayList<>();
    Range[] outer = new Range[shape.dimensions()];
    addBoxes(shape.dimensions() - 1, from / elementBytes, to / elementBytes, outer, boxes);
    return boxes;
  }

  /** Adds the elements from one to before another, numbered within the slower indices chosen. */
  private void addBoxes(int n, long from, long to, Range[] chosen, List<Section> boxes) {
    if (from == to) {
      return;
    }
    int d = shape.fastest(n);
    long unit = shape.stride(d);
    long first = Math.ceilDiv(from, unit);
    long end = to / unit;
    if (first > end) { // within one index, and not all of it
      chosen[d] = Range.at(end);
      addBoxes(n - 1, from - end * unit, to - end * unit, chosen, boxes);
      return;
    }
    if (from < first * unit) {
      chosen[d] = Range.at(first - 1);
      addBoxes(n - 1, from - (first - 1) * unit, unit, chosen, boxes);
    }
    if (first < end) {
      chosen[d] = Range.of(first, end - 1);
      for (int faster = 0; faster < n; faster++) {
        chosen[shape.fastest(faster)] = Range.all(shape.dimension(shape.fastest(faster)));
      }
      boxes.add(Section.of(chosen.clone()));
    }
    if (end * unit < to) {
      chosen[d] = Range.at(end);
      addBoxes(n - 1, 0, to - end * unit, chosen, boxes);
    }
  }

  /** For people: {@code 4096x4096 column-major of 8-byte elements from byte 128}. */
  @Override
  public String toString() {
    StringBuilder dims = new StringBuilder();
    for (long dim : shape.dims()) {
      dims.append(dims.isEmpty() ? "" : "x").append(dim);
    }
    return "%s %s of %s-byte elements from byte %s"
        .formatted(
            dims,
            shape.order() == Order.COLUMN_MAJOR ? "column-major" : "row-major",
            elementBytes,
            start);
  }
}
