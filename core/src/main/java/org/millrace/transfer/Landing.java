package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import org.millrace.access.Access;
import org.millrace.access.PlacedComb;
import org.millrace.access.Runs;
import org.millrace.copy.Kernels;
import org.millrace.protocol.RankRequest.Piece;
import org.millrace.transfer.Shares.Share;

/**
 * A rank's memory in a collective call, where aggregators put pieces and take them from.
 *
 * <p>Safe for use by several threads as long as they bring different bytes. No state but the
 * memory's.
 */
public final class Landing {

  private final Access access;
  private final Shares memory;

  /** Memory of a rank that wants {@code access}. */
  public Landing(Access access, Shares memory) {
    this.access = access;
    this.memory = memory;
  }

  /** The memory. */
  public Shares memory() {
    return memory;
  }

  /** Takes a piece out of a payload. */
  void place(Piece piece, MemorySegment payload) {
    move(piece, payload, false);
  }

  /** Puts a piece into a payload. */
  void fetch(Piece piece, MemorySegment payload) {
    move(piece, payload, true);
  }

  private void move(Piece piece, MemorySegment payload, boolean out) {
    long from = piece.position();
    if (from < access.from() || piece.bytes() > access.to() - from) {
      throw new IllegalArgumentException(
          "positions %d to %d, the rank takes part with %d to %d"
              .formatted(from, from + piece.bytes(), access.from(), access.to()));
    }
    PlacedComb placed = new PlacedComb();
    for (Share share : memory.of(access.view(), access.from(), from, from + piece.bytes())) {
      long first = piece.places().from() + share.access().from() - from;
      Runs runs = piece.places().pattern().runs(first, first + share.access().size());
      placed.reset(share.places());
      while (runs.next()) {
        placed.comb(
            runs.position() - first, runs.offset(), runs.length(), runs.stride(), runs.count());
        copy(placed, payload, share.segment(), out);
      }
    }
  }

  private static void copy(
      PlacedComb placed, MemorySegment payload, MemorySegment segment, boolean out) {
    while (placed.next()) {
      if (out) {
        Kernels.copy(
            segment,
            placed.place(),
            placed.placeStride(),
            payload,
            placed.offset(),
            placed.stride(),
            placed.length(),
            placed.count());
      } else {
        Kernels.copy(
            payload,
            placed.offset(),
            placed.stride(),
            segment,
            placed.place(),
            placed.placeStride(),
            placed.length(),
            placed.count());
      }
    }
  }
}
