package org.millrace.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one strand that are lent to another process, which copies out of their memory, or into
 * it, by itself: they stay where they are until it says that it touches them no more, or nobody
 * believes any more that it will.
 *
 * <pre>
 *              release, holderGone
 *   held ------------------------------&gt; over
 *     |  expire                           ^
 *     '---------&gt; taken ------------------'
 *                       release, holderGone
 *
 *   held    the frames are those of the blocks
 *   taken   the blocks have other frames, or none; the old ones are in quarantine, and what was
 *           written is refused
 * </pre>
 *
 * <p>Safe for use by several threads. Every pin must come to its end.
 */
public final class Pin {

  /**
   * Blocks to be pinned.
   *
   * @param first the first one
   * @param count how many
   * @param whole whether the holder will overwrite all of them
   */
  public record Blocks(long first, int count, boolean whole) {}

  /**
   * Where neighbouring blocks lie.
   *
   * @param slab number of the slab, -1 if the blocks are holes and have no memory
   * @param generation which of the slabs that have had this number
   * @param offset where the first of them begins in the slab
   * @param blocks how many
   */
  public record Place(int slab, int generation, long offset, int blocks) {}

  // Constant after construction.
  private final Books books;
  private final Pins pins;
  final Strand strand;
  final boolean write;
  private final long end;
  private final List<Place> places;
  private final boolean mappable;

  /** Where the last of the blocks ends. */
  private final long reach;

  // Guarded by the lock of the books.
  /** The frame of each block, null for a hole; a quarantined one if it was taken away. */
  final @Nullable Frame[] frames;

  /** Whether some frame that was to be written was taken away. */
  boolean refused;

  private boolean over;

  /** Called with the lock held, as {@link Pins} does after it has counted the frames as pinned. */
  Pin(
      Books books,
      Pins pins,
      Strand strand,
      boolean write,
      List<Blocks> blocks,
      @Nullable Frame[] frames) {
    this.books = books;
    this.pins = pins;
    this.strand = strand;
    this.write = write;
    this.frames = frames;
    this.end = strand.end;
    this.places = List.copyOf(places(blocks, frames));
    this.mappable = isMappable(frames);
    Blocks last = blocks.getLast();
    this.reach = last.first + last.count << strand.shift;
  }

  private static boolean isMappable(@Nullable Frame[] frames) {
    for (Frame frame : frames) {
      if (frame != null && frame.slab.name().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private static List<Place> places(List<Blocks> blocks, @Nullable Frame[] frames) {
    List<Place> places = new ArrayList<>();
    int at = 0;
    for (Blocks run : blocks) {
      for (int from = at, last = at + run.count; from < last; ) {
        int to = from + 1;
        while (to < last && areNeighbours(frames[to - 1], frames[to])) {
          to++;
        }
        places.add(place(frames[from], to - from));
        from = to;
      }
      at += run.count;
    }
    return places;
  }

  private static boolean areNeighbours(@Nullable Frame one, @Nullable Frame next) {
    return one == null || next == null
        ? one == next
        : one.slab == next.slab && one.index + 1 == next.index;
  }

  private static Place place(@Nullable Frame first, int blocks) {
    return first == null
        ? new Place(-1, 0, 0, blocks)
        : new Place(
            first.slab.number(), first.slab.generation(), (long) first.index * first.bytes, blocks);
  }

  /** Where the blocks lie, in the order in which they were asked for. */
  public List<Place> places() {
    return places;
  }

  /** Whether other processes can map all of the memory. */
  public boolean isMappable() {
    return mappable;
  }

  /** Where the strand ended when they were pinned. */
  public long end() {
    return end;
  }

  /** Whether the holder writes. */
  public boolean isWriting() {
    return write;
  }

  /**
   * The holder touches them no more. If it has written all that it wanted to, the strand ends at
   * {@code writtenTo} or behind it. False if something of that may be lost, because its blocks had
   * been taken away: then it has to be written again.
   */
  public boolean release(boolean written, long writtenTo) {
    books.acquire();
    try {
      if (over) {
        return false;
      }
      boolean accepted = !write || (written && !refused);
      over = true;
      pins.end(this, accepted && write, Math.min(writtenTo, reach));
      return accepted;
    } finally {
      books.release();
    }
  }

  /**
   * The holder's process is no more, so that nobody touches them: what it has written of them so
   * far stays.
   */
  public void holderGone() {
    books.acquire();
    try {
      if (!over) {
        over = true;
        pins.end(this, false, 0);
      }
    } finally {
      books.release();
    }
  }

  /**
   * The holder has had them for too long: the blocks get other memory, or are forgotten if they are
   * in the store as well. Waits; if it fails some of them are still held, and it can be tried
   * again.
   */
  public void expire() throws IOException {
    books.acquire();
    try {
      if (!over) {
        pins.takeAway(this, books.deadline());
      }
    } finally {
      books.release();
    }
  }
}
