package org.millrace.transfer;

import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.millrace.access.Access;
import org.millrace.message.Payload;
import org.millrace.protocol.RankRequest.Piece;
import org.millrace.transfer.MemorySlices.Share;

/**
 * A rank's memory in a collective call, where aggregators put pieces and take them from.
 *
 * <p>Safe for use by several threads as long as they bring different bytes.
 */
public final class ReceiveBuffer {

  /** More ranks than anybody has. */
  private static final int MAX_PARTNERS = 1 << 20;

  private final Access access;
  private final MemorySlices memory;

  /** What ranks want of this rank's file domain, as far as they told. */
  private final ConcurrentSkipListMap<Integer, Access> wants = new ConcurrentSkipListMap<>();

  /** Memory of a rank that wants {@code access}. */
  public ReceiveBuffer(Access access, MemorySlices memory) {
    this.access = access;
    this.memory = memory;
  }

  /** What the rank wants. */
  public Access access() {
    return access;
  }

  /** The memory. */
  public MemorySlices memory() {
    return memory;
  }

  /** A rank says what it wants, this one being an aggregator. */
  void want(int rank, Access its) {
    if (rank < 0 || rank >= MAX_PARTNERS) {
      throw new IllegalArgumentException("there is no rank " + rank);
    }
    wants.put(rank, its);
  }

  /** What ranks have said that they want, by rank. */
  NavigableMap<Integer, Access> wants() {
    return new TreeMap<>(wants);
  }

  /** Moves a piece between this memory and a payload; {@code out} of this memory or into it. */
  void move(Piece piece, Payload payload, boolean out) {
    long from = piece.position();
    if (from < access.from() || piece.bytes() > access.to() - from) {
      throw new IllegalArgumentException(
          "positions %s to %s, the rank takes part with %s to %s"
              .formatted(from, from + piece.bytes(), access.from(), access.to()));
    }
    for (Share share : memory.of(access.view(), access.from(), from, from + piece.bytes())) {
      long first = share.access().from() - from;
      Payload part = payload.part(first, first + share.access().size());
      if (out) {
        share.payload().copyTo(part);
      } else {
        part.copyTo(share.payload());
      }
    }
  }
}
