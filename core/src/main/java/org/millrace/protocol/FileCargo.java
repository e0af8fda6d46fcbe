package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.access.Runs;
import org.millrace.message.Cargo;

/**
 * What an access selects of a chunk of a file, in the order of positions; the payload is the chunk.
 * Only for views that ascend: there no byte comes twice, what lies outside the chunk is skipped by
 * arithmetic, and so nobody can make others send more than a chunk or search for long. For other
 * views the chunk travels as it is. Used by one thread at a time.
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

  /** What travels of a chunk of {@code bytes} bytes at offset {@code from} of a file. */
  static Cargo of(Direction direction, Access access, long from, long bytes) {
    return access.view().isAscending()
        ? new FileCargo(direction, access, from, bytes)
        : Cargo.whole(direction, bytes);
  }

  @Override
  public Direction direction() {
    return direction;
  }

  @Override
  public long bytes() {
    if (bytes == NOT_COUNTED) {
      bytes = access.below(from + chunkBytes) - access.below(from);
    }
    return bytes;
  }

  @Override
  public long memoryBytes() {
    return chunkBytes;
  }

  @Override
  public Walk walk() {
    Runs runs = access.view().runs(access.from(), access.to(), from, from + chunkBytes);
    return new JoinedWalk(new Combs(runs, from));
  }

  /** Runs of the view as places in the chunk. */
  private record Combs(Runs runs, long from) implements Walk {

    @Override
    public boolean next() {
      return runs.next();
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
