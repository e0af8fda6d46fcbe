package org.millrace.access;

import java.util.Objects;

/**
 * Which bytes of a file a rank sees, in which order: a tile, repeated without end.
 *
 * <pre>
 *   0            displacement    +tileExtent     +2*tileExtent
 *   |            |               |               |
 *   .............[xx..xx]........[xx..xx]........[xx..xx]........    position p lies in tile
 *                 01  23          45  67          89  ..             p / tile.size()
 * </pre>
 *
 * <p>Views are kept in normal form: displacements of the tile are added to the view's, a loop that
 * the tiling continues is the tiling (8 bytes, 10 times by 16, extent 160, is 8 bytes with extent
 * 16), contiguous bytes are tiles of one byte. So views that were built differently may be equal,
 * and accessors may answer something simpler than what was given.
 *
 * <p>A view with an empty tile selects nothing; only accesses of no bytes are possible.
 *
 * <p>Immutable; safe for any number of threads.
 *
 * @param displacement where the first tile lies in the file
 * @param tile the bytes of one tile
 * @param tileExtent bytes from one tile to the next, not negative
 */
public record View(long displacement, Pattern tile, long tileExtent) {

  /** All bytes of the file, in their order. */
  public static final View WHOLE = new View(0, Pattern.run(1), 1);

  /** No byte at all. */
  public static final View EMPTY = new View(0, Pattern.EMPTY, 0);

  /** Checks and normalizes. */
  public View {
    Objects.requireNonNull(tile, "tile");
    if (tileExtent < 0) {
      throw new IllegalArgumentException("tile extent " + tileExtent + " is negative");
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      if (tile instanceof Sequence one && one.nodes.length == 1) {
        displacement = add(displacement, one.displacements[0]);
        tile = one.nodes[0];
        changed = true;
      } else if (tile instanceof Loop loop && isContinued(loop, tileExtent)) {
        tileExtent = loop.stride;
        tile = loop.body;
        changed = true;
      } else if (tile instanceof Run && tile.size() == tileExtent && tileExtent > 1) {
        tile = Pattern.run(1);
        tileExtent = 1;
      }
    }
    if (tile.size() == 0) {
      tile = Pattern.EMPTY;
      tileExtent = 0;
    }
    if (add(displacement, tile.first()) < 0) {
      throw new IllegalArgumentException(
          "view starts at the negative offset "
              + (displacement + tile.first())
              + ": displacement "
              + displacement
              + ", tile from "
              + tile.first());
    }
    add(displacement, tile.end());
  }

  private static long add(long displacement, long offset) {
    long sum = displacement + offset;
    if (((displacement ^ sum) & (offset ^ sum)) < 0) {
      throw new IllegalArgumentException(
          "view with displacement "
              + displacement
              + " and tile offset "
              + offset
              + " exceeds 2^63-1");
    }
    return sum;
  }

  private static boolean isContinued(Loop loop, long extent) {
    return extent % loop.count == 0 && extent / loop.count == loop.stride;
  }

  /** A view of contiguous bytes from an offset on. */
  public static View from(long displacement) {
    return new View(displacement, Pattern.run(1), 1);
  }

  PatternNode node() {
    return (PatternNode) tile;
  }

  /** Whether the view selects nothing. */
  public boolean isEmpty() {
    return node().size == 0;
  }

  /** Whether positions are consecutive bytes of the file. */
  public boolean isContiguous() {
    return tile instanceof Run run && run.size == tileExtent;
  }

  /** Whether file offsets strictly ascend with positions. */
  public boolean isAscending() {
    PatternNode node = node();
    return node.ascending && tileExtent >= node.span();
  }

  /** Whether it is certain that no byte is shown twice; see {@link #disjointness}. */
  public boolean isDisjoint() {
    return disjointness() == Disjointness.DISJOINT;
  }

  /** Whether some byte is shown twice: exact, as {@link Pattern#disjointness}. */
  public Disjointness disjointness() {
    PatternNode node = node();
    if (node.size == 0 || isAscending()) {
      return Disjointness.DISJOINT;
    }
    if (tileExtent == 0) {
      return Disjointness.OVERLAPPING;
    }
    // Tile 0 can meet only the tiles that start within its span, and so can every other; tiles
    // beyond the largest file offset show nothing.
    long meeting = (node.span() - 1) / tileExtent + 1;
    long fitting = (Long.MAX_VALUE - Math.max(node.end, displacement + node.end)) / tileExtent + 1;
    return Disjoint.test(node, Math.min(meeting, fitting), tileExtent);
  }

  /**
   * The file offset of a position.
   *
   * @throws IndexOutOfBoundsException if the position is negative or the view empty
   * @throws IllegalArgumentException if the byte would lie beyond the largest file offset
   */
  public long offsetOf(long position) {
    PatternNode node = node();
    if (position < 0 || node.size == 0) {
      throw new IndexOutOfBoundsException(
          "position " + position + " is not in a view with tiles of " + node.size + " bytes");
    }
    long turn = position / node.size;
    long inside = displacement + node.at(position - turn * node.size);
    long moved = turn * tileExtent;
    if (Math.multiplyHigh(turn, tileExtent) != 0 || moved < 0 || moved + inside < 0) {
      throw beyond(position);
    }
    return moved + inside;
  }

  /**
   * How many bytes of the view lie below a file offset: the position of that byte if it is in the
   * view, else of the next one that is.
   *
   * @throws IllegalStateException if the view is not ascending
   */
  public long positionOf(long fileOffset) {
    if (fileOffset < 0) {
      throw new IllegalArgumentException("file offset " + fileOffset + " is negative");
    }
    if (!isAscending()) {
      throw new IllegalStateException("positionOf needs an ascending view, this is " + this);
    }
    PatternNode node = node();
    long above = fileOffset - (displacement + node.first);
    if (above <= 0 || node.size == 0) {
      return 0;
    }
    long turn = above / tileExtent;
    return turn * node.size + node.positionOf(above - turn * tileExtent + node.first);
  }

  /** The runs of a range of positions, as file offsets. */
  public Runs runs(long fromPosition, long toPosition) {
    Runs runs = new Runs();
    runs.reset(this, fromPosition, toPosition);
    return runs;
  }

  /** The parts of these runs that lie from {@code fromOffset} to before {@code toOffset}. */
  public Runs runs(long fromPosition, long toPosition, long fromOffset, long toOffset) {
    Runs runs = new Runs();
    runs.reset(this, fromPosition, toPosition, fromOffset, toOffset);
    return runs;
  }

  /**
   * The bytes that a range of this view and a range of another have in common, in ascending order.
   *
   * @throws IllegalStateException unless both views are ascending
   */
  public Intersections intersect(
      long fromPosition, long toPosition, View other, long otherFrom, long otherTo) {
    return new Intersections(this, fromPosition, toPosition, other, otherFrom, otherTo);
  }

  /** The smallest extent that holds a range of positions; of no bytes, at 0, if it is empty. */
  public Extent span(long fromPosition, long toPosition) {
    checkReach(fromPosition, toPosition);
    if (fromPosition == toPosition) {
      return new Extent(0, 0);
    }
    if (isAscending()) {
      return Extent.between(offsetOf(fromPosition), offsetOf(toPosition - 1) + 1);
    }
    PatternNode node = node();
    long turn = fromPosition / node.size;
    long turns = (toPosition - 1) / node.size - turn + 1;
    long base = displacement + turn * tileExtent;
    PatternNode tiles = turns == 1 ? node : new Loop(turns, tileExtent, node);
    long from = fromPosition - turn * node.size;
    long to = toPosition - turn * node.size;
    return Extent.between(base + tiles.low(from, to), base + tiles.high(from, to));
  }

  /** One past the highest position whose tile ends within the largest file offset. */
  long positionLimit() {
    PatternNode node = node();
    if (node.size == 0 || tileExtent == 0) {
      return node.size == 0 ? 0 : Long.MAX_VALUE;
    }
    if (isContiguous()) {
      // Contiguous, and on the way of every small access: no division.
      return Long.MAX_VALUE - displacement;
    }
    long tiles = (Long.MAX_VALUE - (displacement + node.end)) / tileExtent + 1;
    return tiles > Long.MAX_VALUE / node.size ? Long.MAX_VALUE : tiles * node.size;
  }

  static void checkPositions(long fromPosition, long toPosition) {
    if (fromPosition < 0 || toPosition < fromPosition) {
      throw new IndexOutOfBoundsException(
          "positions from " + fromPosition + " to " + toPosition + " are not a range of a view");
    }
  }

  void checkReach(long fromPosition, long toPosition) {
    checkPositions(fromPosition, toPosition);
    if (fromPosition == toPosition || toPosition <= positionLimit()) {
      return;
    }
    if (isEmpty()) {
      throw new IndexOutOfBoundsException(
          "positions from " + fromPosition + " to " + toPosition + " of a view that is empty");
    }
    throw beyond(toPosition - 1);
  }

  private IllegalArgumentException beyond(long position) {
    return new IllegalArgumentException(
        "position " + position + " of " + this + " lies beyond the largest file offset, 2^63-1");
  }
}
