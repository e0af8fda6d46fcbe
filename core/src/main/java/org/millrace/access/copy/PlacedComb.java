package org.millrace.access.copy;

import org.millrace.access.Cursor;
import org.millrace.access.Runs;

/**
 * Splits combs by where their bytes belong in memory, into combs that are regular on both sides:
 *
 * <pre>
 *   offset        +stride                       place      +placeStride
 *   [length]......[length]......    &lt;---&gt;       [length]...[length]...        count times
 * </pre>
 *
 * <p>How it works: a cursor over the places goes along with the comb. Where runs of both sides are
 * equally long they are taken together; where one side's run holds several of the other's, so many
 * are taken at once; else the common start of both.
 *
 * <p>Owned by one thread. A step allocates nothing.
 */
public final class PlacedComb extends Cursor {

  /** Shared by all, as it never has a comb. */
  private static final Cursor NONE = Cursor.run(0, 0);

  /** Shared by all whose places are packed, which need none: a node has thousands of them. */
  private static final Runs UNUSED = new Runs();

  private Runs memory = UNUSED;

  // The places, and up to where the cursor over them has gone.
  private Places places = Places.packed(0);
  private long memoryNext = -1;
  private long memoryRun;
  private long memoryDone;

  // What is left of the comb.
  private long combOffset;
  private long combLength;
  private long combStride;
  private long combCount;
  private long run;
  private long done;
  private long index;

  // Where combs come from, and the position that its first byte has there.
  private Cursor source = NONE;
  private long sourceFrom;

  // The other side of the result.
  private long place;
  private long placeStride;

  /** A splitter without places, to be reset. */
  public PlacedComb() {}

  /** Splits all combs of a cursor over an access whose first position is {@code from}. */
  public static PlacedComb of(Cursor combs, long from, Places places) {
    PlacedComb made = new PlacedComb();
    made.reset(combs, from, places);
    return made;
  }

  /** Starts over, as {@link #of}. */
  public void reset(Cursor combs, long from, Places newPlaces) {
    reset(newPlaces);
    source = combs;
    sourceFrom = from;
  }

  /** Starts over with other places and no comb: the caller gives each by {@link #comb}. */
  public void reset(Places newPlaces) {
    source = NONE;
    places = newPlaces;
    if (memory == UNUSED && !places.isPacked()) {
      memory = new Runs();
    }
    memoryNext = -1;
    combCount = 0;
    run = 0;
  }

  /** Takes a comb whose first byte is number {@code firstIndex} of the access. */
  public void comb(long firstIndex, long atOffset, long ofLength, long byStride, long runs) {
    index = firstIndex;
    combOffset = atOffset;
    combLength = ofLength;
    combStride = byStride;
    combCount = runs;
    run = 0;
    done = 0;
    if (!places.isPacked() && memoryNext != firstIndex) {
      long from = places.from() + firstIndex;
      memory.reset(places.pattern(), from, places.pattern().size());
      memory.next();
      memoryRun = 0;
      memoryDone = 0;
      memoryNext = firstIndex;
    }
  }

  @Override
  public boolean next() {
    if (run >= combCount) {
      if (!source.next()) {
        return false;
      }
      comb(
          source.position() - sourceFrom,
          source.offset(),
          source.length(),
          source.stride(),
          source.count());
    }
    if (places.isPacked()) {
      piece(combOffset, combLength, combStride, combCount, places.start() + index, combLength);
      run = combCount;
      return true;
    }
    long here = combOffset + run * combStride + done;
    if (memoryRun == memory.count()) {
      memory.next();
      memoryRun = 0;
    }
    long there = memory.offset() + memoryRun * memory.stride() + memoryDone;
    long left = combLength - done;
    long room = memory.length() - memoryDone;
    long runs = combCount - run;
    long memoryRuns = memory.count() - memoryRun;
    if (left == room && done == 0 && memoryDone == 0) {
      piece(here, left, combStride, Math.min(runs, memoryRuns), there, memory.stride());
    } else if (memoryDone == 0 && left > room) {
      piece(here, room, room, Math.min(left / room, memoryRuns), there, memory.stride());
    } else if (done == 0 && room > left) {
      piece(here, left, combStride, Math.min(room / left, runs), there, left);
    } else {
      long both = Math.min(left, room);
      piece(here, both, both, 1, there, both);
    }
    advance();
    return true;
  }

  /** Passes what was just taken, on both sides. */
  private void advance() {
    long bytes = length() * count();
    memoryNext += bytes;
    long inComb = done + bytes;
    run += inComb / combLength;
    done = inComb % combLength;
    long inMemory = memoryDone + bytes;
    memoryRun += inMemory / memory.length();
    memoryDone = inMemory % memory.length();
  }

  private void piece(
      long atOffset, long ofLength, long byStride, long runs, long atPlace, long byPlace) {
    set(places.isPacked() ? index : memoryNext, atOffset, ofLength, byStride, runs);
    place = atPlace;
    placeStride = byPlace;
  }

  /** Where the first run belongs in memory. */
  public long place() {
    return place;
  }

  /** From one run to the next in memory. */
  public long placeStride() {
    return placeStride;
  }
}
