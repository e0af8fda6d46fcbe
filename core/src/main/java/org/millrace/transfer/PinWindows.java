package org.millrace.transfer;

import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Cursor;
import org.millrace.access.copy.PlacedVector;
import org.millrace.access.copy.Places;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;

/**
 * Divides the part of an access on one strand into {@linkplain PinWindow windows} of a bounded
 * number of blocks. Vectors whose runs lie close together are added whole as far as they fit;
 * others run by run.
 *
 * <p>Owned by one thread.
 */
final class PinWindows {

  /** At least so many blocks, so that a run that crosses from one to the next always fits. */
  private static final int MIN_BLOCKS = 2;

  // constant after construction
  private final PlacedVector vectors;
  private final long blockBytes;

  // what is left of the vector
  private long position;
  private long offset;
  private long length;
  private long stride;
  private long count;
  private long place;
  private long step;

  // what is left of a run that is taken by itself, before the vector
  private long runPosition;
  private long runOffset;
  private long runLength;
  private long runPlace;

  PinWindows(PlacedVector vectors, long blockBytes) {
    this.vectors = vectors;
    this.blockBytes = blockBytes;
  }

  /** Those of an access; {@code places} says where its bytes lie in memory. */
  static PinWindows of(PinTarget target, Access access, Places places) {
    Layout layout = target.layout();
    StrandRuns runs =
        StrandRuns.of(layout, target.strand().strand(), access.view(), access.from(), access.to());
    return new PinWindows(PlacedVector.of(runs, access.from(), places), layout.blockBytes());
  }

  /** The next window, of blocks with so many bytes; null if there is none. */
  @Nullable PinWindow next(long windowBytes) {
    int maxBlocks = (int) Math.max(MIN_BLOCKS, windowBytes / blockBytes);
    PinWindow window = new PinWindow(blockBytes, maxBlocks);
    while (!window.isFull() && (runLength > 0 || count > 0 || load())) {
      if (!takeInto(window)) {
        break;
      }
    }
    return window.isEmpty() ? null : window;
  }

  private boolean load() {
    if (!vectors.next()) {
      return false;
    }
    Cursor vector = vectors;
    position = vector.position();
    offset = vector.offset();
    length = vector.length();
    stride = vector.stride();
    count = vector.count();
    place = vectors.place();
    step = vectors.placeStride();
    if (count > 1 && stride == length && step == length) {
      length *= count;
      count = 1;
    }
    return true;
  }

  /** Takes what fits of the next run or vector; false if the window has no more room. */
  private boolean takeInto(PinWindow window) {
    if (runLength == 0 && (count == 1 || length >= blockBytes)) {
      runPosition = position;
      runOffset = offset;
      runLength = length;
      runPlace = place;
      pass(1);
    }
    if (runLength > 0) {
      return takeRun(window);
    }
    return stride > 0 && stride < blockBytes ? takeDense(window) : takeSparse(window);
  }

  private void pass(long runs) {
    position += runs * length;
    offset += runs * stride;
    place += runs * step;
    count -= runs;
  }

  private boolean takeRun(PinWindow window) {
    long limit = (runOffset + runLength - 1) / blockBytes + 1;
    long reached = window.addBlocks(runOffset / blockBytes, limit) * blockBytes;
    long taken = Math.min(runLength, reached - runOffset);
    if (taken > 0) {
      window.addPiece(runPosition, runOffset, taken, taken, 1, runPlace, taken);
      runPosition += taken;
      runOffset += taken;
      runPlace += taken;
      runLength -= taken;
    }
    return runLength == 0;
  }

  private boolean takeDense(PinWindow window) {
    long limit = (offset + (count - 1) * stride + length - 1) / blockBytes + 1;
    long reached = window.addBlocks(offset / blockBytes, limit) * blockBytes;
    long room = reached - offset - length;
    long taken = room < 0 ? 0 : Math.min(count, room / stride + 1);
    take(window, taken);
    return count == 0;
  }

  private boolean takeSparse(PinWindow window) {
    long taken = 0;
    while (taken < count) {
      long start = offset + taken * stride;
      long limit = (start + length - 1) / blockBytes + 1;
      if (window.addBlocks(start / blockBytes, limit) < limit) {
        break;
      }
      taken++;
    }
    take(window, taken);
    return count == 0;
  }

  private void take(PinWindow window, long runs) {
    if (runs > 0) {
      window.addPiece(position, offset, length, stride, runs, place, step);
      pass(runs);
    }
  }
}
