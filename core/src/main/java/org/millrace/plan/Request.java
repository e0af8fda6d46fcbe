package org.millrace.plan;

import java.util.List;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.layout.Layout;

/**
 * What all ranks of a group want of a file in one collective call, the same on every rank.
 * Immutable.
 *
 * @param write whether bytes go to the file
 * @param layout where the file's bytes live
 * @param accesses each rank's part, by rank
 * @param array the array whose parts the ranks want, the same for all of them; empty if the file is
 *     no array to them
 */
public record Request(
    boolean write, Layout layout, List<Access> accesses, Optional<Geometry> array) {

  /** A request for parts of no array. */
  public Request(boolean write, Layout layout, List<Access> accesses) {
    this(write, layout, accesses, Optional.empty());
  }

  /** Keeps a copy of the list. */
  public Request {
    accesses = List.copyOf(accesses);
    if (accesses.isEmpty()) {
      throw new IllegalArgumentException("a collective request needs at least one rank");
    }
    Extent span = span(accesses);
    if (array.isPresent()
        && !span.isEmpty()
        && (span.offset() < array.get().start() || span.end() > array.get().end())) {
      throw new IllegalArgumentException(
          "bytes %d to %d are not all in the array %s"
              .formatted(span.offset(), span.end(), array.get()));
    }
  }

  /** The unit of caching: a read of a part of a block makes its node read all of it. */
  long blockBytes() {
    return layout.blockBytes();
  }

  /** How many ranks take part. */
  public int ranks() {
    return accesses.size();
  }

  /** The bytes of all ranks together, each counted as often as it is wanted. */
  public long size() {
    long size = 0;
    for (Access one : accesses) {
      size += one.size();
    }
    return size;
  }

  /** The smallest extent that holds everything wanted; empty if nothing is. */
  public Extent span() {
    return span(accesses);
  }

  private static Extent span(List<Access> accesses) {
    long start = Long.MAX_VALUE;
    long end = 0;
    for (Access one : accesses) {
      if (!one.isEmpty()) {
        Extent span = one.span();
        start = Math.min(start, span.offset());
        end = Math.max(end, span.end());
      }
    }
    return end == 0 ? new Extent(0, 0) : Extent.between(start, end);
  }
}
