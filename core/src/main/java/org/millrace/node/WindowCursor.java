package org.millrace.node;

import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.access.copy.PlacedVector;
import org.millrace.access.copy.Places;
import org.millrace.layout.Layout;
import org.millrace.protocol.NodeRequest;

/**
 * A cursor for views in any order. For each range of the strand it searches the view for bytes in
 * the corresponding part of the file, in the order of positions, and keeps those on the strand.
 *
 * <p>Owned by one thread.
 */
final class WindowCursor implements PartCursor {

  // Constant after construction.
  private final int part;
  private final int strand;
  private final Layout layout;
  private final Access access;
  private final long first;
  private final long end;

  private final Runs runs = new Runs();
  private final PlacedVector placed = new PlacedVector();
  private long next = Long.MAX_VALUE;
  private long stop;

  // The stretch that is being searched, if any, and its part of the file.
  private long stretchEnd = -1;
  private long fileFrom;
  private long fileTo;

  // The vector of the view, its next run, and the offset in the file from which on that is left.
  private boolean hasVector;
  private long run;
  private long from;

  // What was found last and is being placed.
  private long shift;

  WindowCursor(int part, NodeRequest.Direct request, Places places) {
    this.part = part;
    this.strand = request.strand().strand();
    this.layout = request.layout();
    this.access = request.access();
    Extent span = access.span();
    this.first = layout.strandSize(strand, span.offset());
    this.end = layout.strandSize(strand, span.end());
    placed.reset(places);
  }

  @Override
  public void start(long rangeFrom, long rangeTo) {
    stop = Math.min(rangeTo, end);
    stretchEnd = -1;
    pass(Math.max(rangeFrom, first));
  }

  /** Whether any byte of {@code [blockFrom, blockEnd)}, which is in one block, is wanted. */
  boolean finds(long blockFrom, long blockEnd) {
    start(blockFrom, blockEnd);
    if (next >= blockEnd) {
      return false;
    }
    search(Math.min(blockEnd, stop));
    return nextOnStrand();
  }

  private void pass(long to) {
    next = to < stop ? to : Long.MAX_VALUE;
  }

  @Override
  public long next() {
    return next;
  }

  @Override
  public void take(long base, long blockEnd, BlockPieces into) {
    if (next >= blockEnd) {
      return;
    }
    long limit = Math.min(blockEnd, stop);
    if (stretchEnd != limit) {
      search(limit);
    }
    while (!into.isFull()) {
      if (placed.next()) {
        into.add(
            part,
            placed.offset() + shift - base,
            placed.length(),
            placed.stride(),
            placed.count(),
            placed.place(),
            placed.placeStride());
      } else if (!nextOnStrand()) {
        pass(blockEnd);
        return;
      }
    }
  }

  private void search(long limit) {
    stretchEnd = limit;
    fileFrom = layout.fileOffset(strand, next);
    fileTo = layout.fileOffset(strand, limit - 1) + 1;
    runs.reset(access.view(), access.from(), access.to(), fileFrom, fileTo);
    hasVector = false;
  }

  /** Finds the next piece on the strand and starts to place it. False if there is none. */
  private boolean nextOnStrand() {
    while (true) {
      if (!hasVector) {
        if (!runs.next()) {
          return false;
        }
        hasVector = true;
        run = 0;
        from = runs.offset();
        if (isInOneUnit()) {
          hasVector = false;
          if (layout.strandOf(from) == strand) {
            shift = layout.strandOffset(from) - from;
            placed.vector(
                runs.position() - access.from(), from, runs.length(), runs.stride(), runs.count());
            return true;
          }
          continue;
        }
      }
      if (nextInVector()) {
        return true;
      }
    }
  }

  private boolean isInOneUnit() {
    long last = runs.offset() + (runs.count() - 1) * runs.stride();
    long low = Math.min(runs.offset(), last);
    long high = Math.max(runs.offset(), last) + runs.length();
    return low / layout.stripeUnitBytes() == (high - 1) / layout.stripeUnitBytes();
  }

  /**
   * Takes the next stripe unit's part of the vector's next run. False if it is another strand's.
   */
  private boolean nextInVector() {
    long start = runs.offset() + run * runs.stride();
    long runEnd = start + runs.length();
    long here = from;
    long unit = layout.stripeUnitBytes();
    long to = runEnd - here <= unit - here % unit ? runEnd : here - here % unit + unit;
    boolean mine = layout.strandOf(here) == strand;
    if (mine) {
      shift = layout.strandOffset(here) - here;
      long position = runs.position() + run * runs.length() + (here - start);
      placed.vector(position - access.from(), here, to - here, to - here, 1);
    }
    from = to;
    if (to == runEnd) {
      run++;
      hasVector = run < runs.count();
      from = start + runs.stride();
    }
    return mine;
  }
}
