package org.millrace.access;

/**
 * Splits a comb of runs by where its bytes belong in memory, into combs that are regular on both
 * sides:
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
public final class PlacedComb {

  private final Runs memory = new Runs();

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

  // The result.
  private long offset;
  private long length;
  private long stride;
  private long count;
  private long place;
  private long placeStride;

  /** A splitter without places, to be reset. */
  public PlacedComb() {}

  /** Starts over with other places and no comb. */
  public void reset(Places newPlaces) {
    places = newPlaces;
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

  /** Goes to the next piece of the comb. False if there is none. */
  public boolean next() {
    if (run >= combCount) {
      return false;
    }
    if (places.isPacked()) {
      set(combOffset, combLength, combStride, combCount, places.start() + index, combLength);
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
      set(here, left, combStride, Math.min(runs, memoryRuns), there, memory.stride());
    } else if (memoryDone == 0 && left > room) {
      set(here, room, room, Math.min(left / room, memoryRuns), there, memory.stride());
    } else if (done == 0 && room > left) {
      set(here, left, combStride, Math.min(room / left, runs), there, left);
    } else {
      long both = Math.min(left, room);
      set(here, both, both, 1, there, both);
    }
    advance();
    return true;
  }

  /** Passes what was just taken, on both sides. */
  private void advance() {
    long bytes = length * count;
    memoryNext += bytes;
    long inComb = done + bytes;
    run += inComb / combLength;
    done = inComb % combLength;
    long inMemory = memoryDone + bytes;
    memoryRun += inMemory / memory.length();
    memoryDone = inMemory % memory.length();
  }

  private void set(
      long atOffset, long ofLength, long byStride, long runs, long atPlace, long byPlace) {
    offset = atOffset;
    length = ofLength;
    stride = byStride;
    count = runs;
    place = atPlace;
    placeStride = byPlace;
  }

  /** Where the first run is. */
  public long offset() {
    return offset;
  }

  /** The length of each run. */
  public long length() {
    return length;
  }

  /** From one run to the next. */
  public long stride() {
    return stride;
  }

  /** How many runs. */
  public long count() {
    return count;
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
