package org.millrace.access.copy;

import org.millrace.access.Cursor;
import org.millrace.access.Runs;

/**
 * Splits vectors by the places of their bytes in memory, into vectors that are regular on both
 * sides:
 *
 * <pre>
 *   offset        +stride                       place      +placeStride
 *   [length]......[length]......    &lt;---&gt;       [length]...[length]...        count times
 * </pre>
 *
 * <p>How it works: a cursor over the places goes along with the vector. Where runs of both sides
 * are equally long they are taken together; where one side's run holds several of the other's, so
 * many are taken at once; else the common start of both.
 *
 * <p>Owned by one thread. A step allocates nothing.
 */
public final class PlacedVector extends Cursor {

  /** Shared by all, as it never has a vector. */
  private static final Cursor NONE = Cursor.run(0, 0);

  /** Shared by all whose places are packed, which need none: a node has thousands of them. */
  private static final Runs UNUSED = new Runs();

  private Runs memory = UNUSED;

  // The places, and up to where the cursor over them has gone.
  private Places places = Places.packed(0);
  private long memoryNext = -1;
  private long memoryRun;
  private long memoryDone;

  // What is left of the vector.
  private long vectorOffset;
  private long vectorLength;
  private long vectorStride;
  private long vectorCount;
  private long run;
  private long done;
  private long index;

  // Where vectors come from, and the position that its first byte has there.
  private Cursor source = NONE;
  private long sourceFrom;

  // The other side of the result.
  private long place;
  private long placeStride;

  /** A splitter without places, to be reset. */
  public PlacedVector() {}

  /** Splits all vectors of a cursor over an access whose first position is {@code from}. */
  public static PlacedVector of(Cursor vectors, long from, Places places) {
    PlacedVector made = new PlacedVector();
    made.reset(vectors, from, places);
    return made;
  }

  /** Starts over, as {@link #of}. */
  public void reset(Cursor vectors, long from, Places newPlaces) {
    reset(newPlaces);
    source = vectors;
    sourceFrom = from;
  }

  /** Starts over with other places and no vector: the caller gives each by {@link #vector}. */
  public void reset(Places newPlaces) {
    source = NONE;
    places = newPlaces;
    if (memory == UNUSED && !places.isPacked()) {
      memory = new Runs();
    }
    memoryNext = -1;
    vectorCount = 0;
    run = 0;
  }

  /** Takes a vector whose first byte is number {@code firstIndex} of the access. */
  public void vector(long firstIndex, long atOffset, long ofLength, long byStride, long runs) {
    index = firstIndex;
    vectorOffset = atOffset;
    vectorLength = ofLength;
    vectorStride = byStride;
    vectorCount = runs;
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
    if (run >= vectorCount) {
      if (!source.next()) {
        return false;
      }
      vector(
          source.position() - sourceFrom,
          source.offset(),
          source.length(),
          source.stride(),
          source.count());
    }
    if (places.isPacked()) {
      piece(
          vectorOffset,
          vectorLength,
          vectorStride,
          vectorCount,
          places.start() + index,
          vectorLength);
      run = vectorCount;
      return true;
    }
    long here = vectorOffset + run * vectorStride + done;
    if (memoryRun == memory.count()) {
      memory.next();
      memoryRun = 0;
    }
    long there = memory.offset() + memoryRun * memory.stride() + memoryDone;
    long left = vectorLength - done;
    long room = memory.length() - memoryDone;
    long runs = vectorCount - run;
    long memoryRuns = memory.count() - memoryRun;
    if (left == room && done == 0 && memoryDone == 0) {
      piece(here, left, vectorStride, Math.min(runs, memoryRuns), there, memory.stride());
    } else if (memoryDone == 0 && left > room) {
      piece(here, room, room, Math.min(left / room, memoryRuns), there, memory.stride());
    } else if (done == 0 && room > left) {
      piece(here, left, vectorStride, Math.min(room / left, runs), there, left);
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
    long inVector = done + bytes;
    run += inVector / vectorLength;
    done = inVector % vectorLength;
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
