package org.millrace.array;

import org.millrace.access.Distribution;
import org.millrace.access.Geometry;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.FileAccess;

/**
 * An array whose elements lie in the file in storage order, from a byte on. Immutable.
 *
 * @param shape of the array
 * @param type of its elements
 * @param headerBytes where the elements begin
 */
record Dense(Shape shape, ElementType type, long headerBytes) implements Placement {

  /**
   * A part of the array.
   *
   * @param of the array
   * @param bytes relative to the first element
   * @param counts elements along each dimension, in the array's order
   */
  record DensePart(Dense of, Pattern bytes, Shape counts) implements Part {

    @Override
    public long size() {
      return bytes.size();
    }

    @Override
    public FileAccess through(ArrayFile file) {
      return inArrayOrder(file, 0);
    }

    @Override
    public FileAccess inArrayOrder(ArrayFile file, long position) {
      return file.through(of.geometry(), bytes, position);
    }

    @Override
    public Pattern places(Local local) {
      return local.pattern(counts, of.type());
    }
  }

  Dense {
    if (headerBytes < 0) {
      throw new IllegalArgumentException("elements begin at the negative byte " + headerBytes);
    }
    long bytes = shape.bytes(type.bytes());
    if (bytes > Long.MAX_VALUE - headerBytes) {
      throw new IllegalArgumentException(
          "an array of %s bytes from byte %s on exceeds 2^63-1".formatted(bytes, headerBytes));
    }
  }

  /** The same without the type of the elements. */
  Geometry geometry() {
    return new Geometry(shape, type.bytes(), headerBytes);
  }

  @Override
  public long end() {
    return headerBytes + shape.bytes(type.bytes());
  }

  @Override
  public DensePart section(Section section) {
    section.checkIn(shape);
    return new DensePart(this, section.in(shape, type.bytes()), section.shape(shape.order()));
  }

  @Override
  public DensePart distributed(Section box, Distribution distribution, int rank, int ranks) {
    Placement.check(box.shape(shape.order()), distribution, ranks);
    long base = box.isEmpty() ? 0 : shape.linear(Placement.origin(box)) * type.bytes();
    Pattern bytes = distribution.part(rank, type.bytes()).shifted(base);
    return new DensePart(this, bytes, distribution.localShape(rank));
  }
}
