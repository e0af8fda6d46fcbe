package org.millrace.plan;

import java.util.List;
import org.millrace.access.Extent;

/**
 * An extent of the file and what all ranks want of it. Immutable.
 *
 * @param extent which bytes of the file
 * @param list the pieces of those ranks that want something, by rank
 * @param isCovered whether it is known that every byte of the extent is in some piece: a write need
 *     not ask what was there before
 * @param isDisjoint whether it is known that no byte is in two pieces: they may be moved in any
 *     order, or at once
 */
public record Pieces(Extent extent, List<Piece> list, boolean isCovered, boolean isDisjoint) {

  /** Keeps a copy of the list. */
  public Pieces {
    list = List.copyOf(list);
  }

  /** The bytes of all pieces, each counted as often as it is wanted. */
  public long bytes() {
    long bytes = 0;
    for (Piece one : list) {
      bytes += one.bytes();
    }
    return bytes;
  }

  /** Whether nobody wants anything. */
  public boolean isEmpty() {
    return list.isEmpty();
  }
}
