package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.access.Places;
import org.millrace.layout.Layout;
import org.millrace.layout.PlacedRuns;
import org.millrace.message.Cargo;

/**
 * What of an access lies on one strand, in the order of positions. Either side knows by itself
 * where in its memory that is. Used by one thread at a time.
 */
final class StrandCargo implements Cargo {

  private static final long NOT_COUNTED = -1;

  // constant after construction
  private final Direction direction;
  private final int strand;
  private final Layout layout;
  private final Access access;
  private final Places places;
  private final long memoryBytes;

  // owned by the thread that uses the cargo
  private long bytes;

  StrandCargo(
      Direction direction,
      StrandId strand,
      Layout layout,
      Access access,
      Places places,
      long memoryBytes) {
    this.direction = direction;
    this.strand = strand.strand();
    this.layout = layout;
    this.access = access;
    this.places = places;
    this.memoryBytes = memoryBytes;
    this.bytes = layout.strands() == 1 ? access.size() : NOT_COUNTED;
  }

  @Override
  public Direction direction() {
    return direction;
  }

  @Override
  public long bytes() {
    if (bytes == NOT_COUNTED) {
      long sum = 0;
      PlacedRuns runs = PlacedRuns.of(layout, strand, access, Places.packed(access.size()));
      while (runs.next()) {
        sum += runs.length() * runs.count();
      }
      bytes = sum;
    }
    return bytes;
  }

  @Override
  public long memoryBytes() {
    return memoryBytes;
  }

  @Override
  public Walk walk() {
    if (layout.strands() == 1 && places.isPacked()) {
      return new OneRun(places.start(), access.size());
    }
    return new JoinedWalk(new Combs(PlacedRuns.of(layout, strand, access, places)));
  }

  /** The memory's side of placed runs. */
  private record Combs(PlacedRuns runs) implements Walk {

    @Override
    public boolean next() {
      return runs.next();
    }

    @Override
    public long offset() {
      return runs.place();
    }

    @Override
    public long length() {
      return runs.length();
    }

    @Override
    public long stride() {
      return runs.placeStride();
    }

    @Override
    public long count() {
      return runs.count();
    }
  }
}
