package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.access.Range;
import org.millrace.access.Section;

/**
 * The section of an array that each rank wants: PASSION's file access descriptor (FAD), the same on
 * every rank. Immutable.
 *
 * @param array where the array lies in the file
 * @param sections by rank; an empty one where a rank wants nothing
 * @param isExact whether every rank wants just its section. Parts of block-cyclic distributions are
 *     no sections: then a rank's section is the columns from its first to its last byte
 */
public record AccessDescriptor(Geometry array, List<Section> sections, boolean isExact) {

  /** Keeps a copy of the list. */
  public AccessDescriptor {
    sections = List.copyOf(sections);
  }

  /** The descriptor of a request for parts of an array. */
  public static AccessDescriptor of(Geometry array, List<Access> accesses) {
    List<Section> sections = new ArrayList<>(accesses.size());
    boolean exact = true;
    Access before = Access.NOTHING;
    for (Access one : accesses) {
      if (!sections.isEmpty() && one.equals(before)) { // of common sections all but the first
        sections.add(sections.getLast());
        continue;
      }
      Optional<Section> section = array.section(one);
      exact &= section.isPresent();
      sections.add(section.orElseGet(() -> columns(array, one)));
      before = one;
    }
    return new AccessDescriptor(array, sections, exact);
  }

  /** The columns from the first to the last byte of an access, as far as they lie in the array. */
  private static Section columns(Geometry array, Access access) {
    Extent span = access.span().intersect(Extent.between(array.start(), array.end()));
    if (span.isEmpty()) {
      return array.nothing();
    }
    int slowest = array.shape().fastest(array.shape().dimensions() - 1);
    long unit = array.strideBytes(slowest);
    List<Range> ranges = new ArrayList<>(Section.whole(array.shape()).ranges());
    long first = (span.offset() - array.start()) / unit;
    ranges.set(slowest, Range.of(first, (span.end() - 1 - array.start()) / unit));
    return new Section(ranges);
  }
}
