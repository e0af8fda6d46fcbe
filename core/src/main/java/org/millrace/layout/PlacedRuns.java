package org.millrace.layout;

import org.millrace.access.Access;
import org.millrace.access.PlacedComb;
import org.millrace.access.Places;

/**
 * A cursor over what of an access lies on one strand, and where it belongs in memory: combs that
 * are regular in the strand and in memory, in the order of positions.
 *
 * <p>Owned by one thread. A step allocates nothing.
 */
public final class PlacedRuns {

  private final StrandRuns runs = new StrandRuns();
  private final PlacedComb placed = new PlacedComb();
  private long from;

  /** A cursor over nothing, to be reset. */
  public PlacedRuns() {}

  /** The runs of an access on a strand. */
  public static PlacedRuns of(Layout layout, int strand, Access access, Places places) {
    PlacedRuns made = new PlacedRuns();
    made.reset(layout, strand, access, places, access.from(), access.to());
    return made;
  }

  /** Starts over: the runs of an access on a strand, from one position to before another. */
  public void reset(
      Layout layout, int strand, Access access, Places places, long fromPosition, long toPosition) {
    from = access.from();
    runs.reset(layout, strand, access.view(), fromPosition, toPosition);
    placed.reset(places);
  }

  /** Goes to the next comb. False if there is none. */
  public boolean next() {
    while (!placed.next()) {
      if (!runs.next()) {
        return false;
      }
      placed.comb(
          runs.position() - from, runs.offset(), runs.length(), runs.stride(), runs.count());
    }
    return true;
  }

  /** The strand offset of the first run. */
  public long offset() {
    return placed.offset();
  }

  /** The length of each run, at least 1. */
  public long length() {
    return placed.length();
  }

  /** Strand bytes from the start of one run to the start of the next. */
  public long stride() {
    return placed.stride();
  }

  /** How many runs, at least 1. */
  public long count() {
    return placed.count();
  }

  /** Where the first run belongs in memory. */
  public long place() {
    return placed.place();
  }

  /** From one run to the next in memory. */
  public long placeStride() {
    return placed.placeStride();
  }
}
