package org.millrace.heritage.passion;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Domains;

/**
 * The tables of the Extended Two-Phase Method, for programs that want to see them: which part of
 * the file each processor owns, and what all of them want of it. They are the values by which
 * collective reads and writes of sections are carried out.
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

  /** Elements of one byte without a header: sections do not depend on either. */
  private Geometry array() {
    return new Geometry(shape, 1, 0);
  }

  private Extent block(int processor) {
    return Domains.ofColumns(array(), 0, processors, processors).block(processor);
  }

  /**
   * The file domain (FD) of a processor: a block of columns, or of rows in row-major order. Of an
   * array of more dimensions with fewer planes than processors it may be made of several sections.
   */
  public List<Section> domain(int processor) {
    return array().boxes(block(processor));
  }

  /**
   * The file domain access table (FDAT) of a processor: what each of them wants of its domain, for
   * each section of which the domain is made. Where the paper's table has -1 for "no request" the
   * section is empty.
   *
   * @param descriptor the file access descriptor (FAD): what each processor wants of the array
   */
  public List<DomainTable> accessTables(List<Section> descriptor, int processor) {
    List<Section> wanted = new ArrayList<>();
    for (Section one : descriptor) {
      wanted.add(one.isEmpty() ? array().nothing() : one);
    }
    return DomainTable.of(new AccessDescriptor(array(), wanted, true), block(processor));
  }
}
