package org.millrace.protocol;

import org.millrace.access.Runs;
import org.millrace.message.Cargo;

/**
 * The bytes of a piece in its payload, in the order of positions. Their places ascend, so no byte
 * travels twice. Immutable.
 *
 * @param direction which way they travel
 * @param piece which bytes, and where they lie
 */
record PieceCargo(Direction direction, RankRequest.Piece piece) implements Cargo {

  @Override
  public long bytes() {
    return piece.bytes();
  }

  @Override
  public long memoryBytes() {
    return piece.payloadBytes();
  }

  @Override
  public Walk walk() {
    long from = piece.places().from();
    return new JoinedWalk(new Combs(piece.places().pattern().runs(from, from + piece.bytes())));
  }

  /** Runs of the places. Owned by one thread. */
  private record Combs(Runs runs) implements Walk {

    @Override
    public boolean next() {
      return runs.next();
    }

    @Override
    public long offset() {
      return runs.offset();
    }

    @Override
    public long length() {
      return runs.length();
    }

    @Override
    public long stride() {
      return runs.stride();
    }

    @Override
    public long count() {
      return runs.count();
    }
  }
}
