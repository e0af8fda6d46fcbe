package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Extent;
import org.millrace.access.Range;
import org.millrace.access.Section;

/**
 * The section that each rank wants of a file domain: PASSION's file domain access table (FDAT), and
 * the smallest section that covers them all. Immutable.
 *
 * <p>A domain of whole columns is a section. A block-cyclic domain has a table for each block, and
 * a domain that begins or ends within a plane of an array of three or more dimensions a table for
 * each of the few sections that it is made of.
 *
 * @param domain the part of the file domain that the table is about
 * @param rows what each rank wants of it, by rank; empty where the paper's table says -1
 * @param covering the section from the minimum of the lower to the maximum of the upper bounds in
 *     each dimension. Its stride in a dimension is the largest that leaves nothing out
 */
public record DomainTable(Section domain, List<Section> rows, Section covering) {

  /** Keeps a copy of the list. */
  public DomainTable {
    rows = List.copyOf(rows);
  }

  /** The tables of one block of the domains, by ascending offset. */
  public static List<DomainTable> of(AccessDescriptor descriptor, Extent block) {
    List<DomainTable> tables = new ArrayList<>();
    for (Section box : descriptor.array().boxes(block)) {
      tables.add(of(descriptor, box));
    }
    return tables;
  }

  private static DomainTable of(AccessDescriptor descriptor, Section domain) {
    List<Section> rows = new ArrayList<>(descriptor.sections().size());
    Section wanted = null;
    Section row = null;
    for (Section one : descriptor.sections()) {
      if (row == null || one != wanted) {
        row = domain.intersect(one);
        wanted = one;
      }
      rows.add(row);
    }
    return new DomainTable(domain, rows, covering(rows));
  }

  /** The smallest section that holds all of these; an empty one if they are empty. */
  public static Section covering(List<Section> sections) {
    List<Section> wanted = sections.stream().filter(one -> !one.isEmpty()).distinct().toList();
    List<Range> ranges = new ArrayList<>();
    for (int d = 0; d < sections.getFirst().dimensions(); d++) {
      ranges.add(covering(wanted, d));
    }
    return new Section(ranges);
  }

  private static Range covering(List<Section> wanted, int d) {
    if (wanted.isEmpty()) {
      return Range.EMPTY;
    }
    long lower = Long.MAX_VALUE;
    long upper = 0;
    for (Section one : wanted) {
      lower = Math.min(lower, one.range(d).lower());
      upper = Math.max(upper, one.range(d).upper());
    }
    long stride = 0;
    for (Section one : wanted) {
      Range range = one.range(d);
      stride = gcd(stride, range.lower() - lower);
      stride = range.count() == 1 ? stride : gcd(stride, range.stride());
    }
    return new Range(lower, upper, Math.max(1, stride));
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
