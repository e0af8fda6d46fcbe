package org.millrace.transfer;

import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.message.Payload;

/** Slices of a rank's memory of one transfer, which may be several segments, by position. */
@FunctionalInterface
public interface MemorySlices {

  /**
   * What of an access lies in one segment.
   *
   * @param access the positions
   * @param payload their bytes
   */
  record Share(Access access, Payload payload) {}

  /**
   * Deals positions {@code from} to {@code to} of a view out to the segments, of which the first
   * begins with position {@code start}. No share is empty.
   */
  List<Share> of(View view, long start, long from, long to);

  /** Deals a whole access out. */
  default List<Share> of(Access access) {
    return of(access.view(), access.from(), access.from(), access.to());
  }
}
