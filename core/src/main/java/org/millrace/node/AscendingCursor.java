package org.millrace.node;

import org.millrace.access.Access;
import org.millrace.access.copy.PlacedVector;
import org.millrace.access.copy.Places;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;
import org.millrace.protocol.NodeRequest;

/**
 * A cursor for views whose offsets ascend. It passes over the vectors once and cuts them at block
 * boundaries, so that a block costs no search.
 *
 * <p>Owned by one thread.
 */
final class AscendingCursor implements PartCursor {

  // Constant after construction.
  private final int part;
  private final int strand;
  private final Layout layout;
  private final Access access;
  private final Places places;

  private final StrandRuns runs = new StrandRuns();
  private final PlacedVector vectors = new PlacedVector();

  // The vector, the next of its runs, and how much of that is done.
  private long offset;
  private long length;
  private long stride;
  private long count;
  private long place;
  private long placeStride;
  private long run;
  private long done;
  private long next = Long.MAX_VALUE;

  AscendingCursor(int part, NodeRequest.Direct request, Places places) {
    this.part = part;
    this.strand = request.strand().strand();
    this.layout = request.layout();
    this.access = request.access();
    this.places = places;
  }

  @Override
  public void start(long from, long to) {
    long first = position(layout, strand, access, from);
    long last = Math.max(first, position(layout, strand, access, to));
    runs.reset(layout, strand, access.view(), first, last);
    vectors.reset(runs, access.from(), places);
    count = 0;
    run = 0;
    settle();
  }

  /** The first position of an ascending access that does not lie before a strand offset. */
  static long position(Layout layout, int strand, Access access, long strandOffset) {
    long end = access.isEmpty() ? 0 : access.span().end();
    return strandOffset >= layout.strandSize(strand, end)
        ? access.to()
        : access.from() + access.below(layout.fileOffset(strand, strandOffset));
  }

  @Override
  public long next() {
    return next;
  }

  @Override
  public void take(long base, long end, BlockPieces into) {
    while (next < end && !into.isFull()) {
      long here = place + run * placeStride + done;
      if (done > 0 || next + length > end) {
        long piece = Math.min(length - done, end - next);
        into.add(part, next - base, piece, piece, 1, here, piece);
        done += piece;
        if (done == length) {
          done = 0;
          run++;
        }
      } else {
        long runs = runsBefore(end);
        into.add(part, next - base, length, stride, runs, here, placeStride);
        run += runs;
      }
      settle();
    }
  }

  /** How many whole runs from the next one on end before {@code end}; that one does. */
  private long runsBefore(long end) {
    long left = count - run;
    if (left == 1 || next + (left - 1) * stride + length <= end) {
      return left;
    }
    return (end - next - length) / stride + 1;
  }

  private void settle() {
    if (run == count) {
      if (!vectors.next()) {
        next = Long.MAX_VALUE;
        return;
      }
      offset = vectors.offset();
      length = vectors.length();
      stride = vectors.stride();
      count = vectors.count();
      place = vectors.place();
      placeStride = vectors.placeStride();
      run = 0;
      done = 0;
    }
    next = offset + run * stride + done;
  }
}
