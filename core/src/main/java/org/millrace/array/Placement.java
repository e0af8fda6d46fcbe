package org.millrace.array;

import org.millrace.access.Distribution;
import org.millrace.access.Geometry;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * How an array lies in its file: its elements in storage order, from a byte on. Immutable.
 *
 * @param shape of the array
 * @param type of its elements
 * @param headerBytes where the elements begin
 */
record Placement(Shape shape, ElementType type, long headerBytes) {

  /**
   * A part of the array, which some rank wants.
   *
   * @param bytes relative to the first element
   * @param counts elements along each dimension, in the array's order
   */
  record Part(Pattern bytes, Shape counts) {}

  Placement {
    if (headerBytes < 0) {
      throw new IllegalArgumentException("elements begin at the negative byte " + headerBytes);
    }
    long bytes = shape.bytes(type.bytes());
    if (bytes > Long.MAX_VALUE - headerBytes) {
      throw new IllegalArgumentException(
          "an array of %d bytes from byte %d on exceeds 2^63-1".formatted(bytes, headerBytes));
    }
  }

  /** The same without the type of the elements. */
  Geometry geometry() {
    return new Geometry(shape, type.bytes(), headerBytes);
  }

  /** Bytes of all elements. */
  long bytes() {
    return shape.bytes(type.bytes());
  }

  /** Where the elements end. */
  long end() {
    return headerBytes + bytes();
  }

  Part section(Section section) {
    section.checkIn(shape);
    return new Part(section.in(shape, type.bytes()), section.shape(shape.order()));
  }

  Part distributed(Distribution distribution, int rank, int ranks) {
    if (!distribution.shape().equals(shape)) {
      throw new IllegalArgumentException(
          "a distribution of " + distribution.shape() + " for an array of " + shape);
    }
    if (distribution.grid().ranks() != ranks) {
      throw new IllegalArgumentException(
          "a grid of %d ranks in a group of %d".formatted(distribution.grid().ranks(), ranks));
    }
    return new Part(distribution.part(rank, type.bytes()), distribution.localShape(rank));
  }
}
