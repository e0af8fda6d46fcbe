package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.access.Runs;
import org.millrace.message.Cargo;

/**
 * What an access selects of a chunk of a file, in the order of positions; the payload is the chunk.
 * It never is more than the chunk: an access that names bytes twice is cut off where it would be.
 * Only reading may name bytes twice, and there the whole chunk travels. Used by one thread at a
 * time.
 */
final class FileCargo implements Cargo {

  private static final long NOT_COUNTED = -1;

  // constant after construction
  private final Direction direction;
  private final Access access;
  private final long from;
  private final long chunkBytes;

  // owned by the thread that uses the cargo
  private long bytes = NOT_COUNTED;

  private FileCargo(Direction direction, Access access, long from, long chunkBytes) {
    this.direction = direction;
    this.access = access;
    this.from = from;
    this.chunkBytes = chunkBytes;
  }

  /** What travels for {@link RankRequest.Place}. */
  static Cargo of(RankRequest.Place place) {
    return place.access().view().isAscending()
        ? new FileCargo(Direction.TO_RECEIVER, place.access(), place.from(), place.bytes())
        : Cargo.whole(Direction.TO_RECEIVER, place.bytes());
  }

  /** What travels for {@link RankRequest.Fetch}. */
  static Cargo of(RankRequest.Fetch fetch) {
    return new FileCargo(Direction.TO_SENDER, fetch.access(), fetch.from(), fetch.bytes());
  }

  @Override
  public Direction direction() {
    return direction;
  }

  @Override
  public long bytes() {
    if (bytes == NOT_COUNTED) {
      long sum = 0;
      Combs combs = new Combs();
      while (combs.next()) {
        sum += combs.length() * combs.count();
      }
      bytes = sum;
    }
    return bytes;
  }

  @Override
  public long memoryBytes() {
    return chunkBytes;
  }

  @Override
  public Walk walk() {
    return new JoinedWalk(new Combs());
  }

  /** Runs of the view in the chunk, until there are more bytes than the chunk has. */
  private final class Combs implements Walk {
    private final Runs runs =
        access.view().runs(access.from(), access.to(), from, from + chunkBytes);
    private long left = chunkBytes;

    @Override
    public boolean next() {
      if (!runs.next() || runs.length() * runs.count() > left) {
        left = 0;
        return false;
      }
      left -= runs.length() * runs.count();
      return true;
    }

    @Override
    public long offset() {
      return runs.offset() - from;
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
