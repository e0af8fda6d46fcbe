package org.millrace.plan.collective;

import java.util.List;
import org.millrace.access.Access;

/**
 * What an aggregator transfers at a time between the file and a buffer, and the ranks' pieces of
 * it. Immutable.
 *
 * @param access the bytes of the file, ascending; they lie packed in the buffer
 * @param pieces of those ranks that want something, by rank
 * @param isCovered whether it is known that every byte is in some piece: then a write may transfer
 *     the buffer as it is
 * @param isDisjoint whether it is known that no byte is in two pieces: they may be moved in any
 *     order, or at once
 */
public record Chunk(Access access, List<Piece> pieces, boolean isCovered, boolean isDisjoint) {

  /** Keeps a copy of the list. */
  public Chunk {
    pieces = List.copyOf(pieces);
  }

  /** A chunk whose flags follow from the sizes of its pieces. */
  static Chunk of(Access access, List<Piece> pieces, boolean overlapping) {
    long sum = 0;
    boolean filledByOne = false;
    for (Piece one : pieces) {
      sum += one.bytes();
      filledByOne |= one.bytes() == access.size();
    }
    boolean disjoint = pieces.size() < 2 || !overlapping;
    return new Chunk(access, pieces, filledByOne || (disjoint && sum == access.size()), disjoint);
  }

  /** Bytes in the buffer. */
  public long bytes() {
    return access.size();
  }
}
