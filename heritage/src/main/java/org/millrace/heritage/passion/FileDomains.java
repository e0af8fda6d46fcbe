package org.millrace.heritage.passion;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * The tables of the Extended Two-Phase Method, for whoever wants to see them: which part of the
 * file each processor owns, and what all of them want of it. The core plans by the same idea on
 * bytes, over what is wanted instead of the whole array, so that processors without work are rarer.
 *
 * <p>Immutable.
 *
 * @param shape of the array
 * @param processors that take part
 */
public record FileDomains(Shape shape, int processors) {

  /** Checks the number of processors. */
  public FileDomains {
    if (processors < 1) {
      throw new IllegalArgumentException(processors + " processors, must be at least 1");
    }
  }

  /** The dimension that is dealt out: columns if they lie in one piece, rows if rows do. */
  private int slowest() {
    return shape.order() == Order.COLUMN_MAJOR ? shape.dimensions() - 1 : 0;
  }

  /** The file domain (FD) of a processor: a block of columns, or of rows in row-major order. */
  public Section domain(int processor) {
    long n = shape.dimension(slowest());
    long block = Math.ceilDiv(n, processors);
    long first = Math.min(n, processor * block);
    List<Range> ranges = new ArrayList<>(Section.whole(shape).ranges());
    ranges.set(slowest(), new Range(first, Math.min(n, first + block) - 1, 1));
    return new Section(ranges);
  }

  /**
   * The file domain access table (FDAT) of a processor: what each of them wants of its domain.
   * Where the paper's table has -1 for "no request" the section is empty.
   *
   * @param descriptor the file access descriptor (FAD): what each processor wants of the array
   */
  public List<Section> accessTable(List<Section> descriptor, int processor) {
    Section own = domain(processor);
    return descriptor.stream().map(own::intersect).toList();
  }

  /** The smallest section without stride that holds all of a table: what is read, sieved. */
  public static Section smallest(List<Section> table) {
    List<Section> wanted = table.stream().filter(section -> !section.isEmpty()).toList();
    if (wanted.isEmpty()) {
      return Sections.nothing(table.getFirst().dimensions());
    }
    List<Range> ranges = new ArrayList<>();
    for (int d = 0; d < wanted.getFirst().dimensions(); d++) {
      int dimension = d;
      long lower = wanted.stream().mapToLong(s -> s.range(dimension).lower()).min().orElseThrow();
      long upper = wanted.stream().mapToLong(s -> s.range(dimension).upper()).max().orElseThrow();
      ranges.add(Range.of(lower, upper));
    }
    return new Section(ranges);
  }
}
