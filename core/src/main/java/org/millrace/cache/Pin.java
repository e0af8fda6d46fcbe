package org.millrace.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one strand that are pinned for another process, which copies from or to their memory
 * itself. They stay in place until the holder releases them, or until the node revokes the pin.
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
  private final CacheState state;
  private final Pins pins;
  final Strand strand;
  final boolean write;
  private final @Nullable WriteNotes notes;
  private final long end;
  private final List<Place> places;
  private final boolean mappable;

  /** Where the first of the blocks begins, and where the last one ends. */
  private final long from;

  private final long reach;

  // Guarded by the cache's lock.
  /** The frame of each block, null for a hole; a quarantined one if it was taken away. */
  final @Nullable Frame[] frames;

  /** Whether some frame that was to be written was taken away. */
  boolean refused;

  private boolean over;

  /** Whether its notes were closed in the middle of a write. */
  private boolean cut;

  /** Called with the lock held, as {@link Pins} does after it has counted the frames as pinned. */
  Pin(
      CacheState state,
      Pins pins,
      Strand strand,
      boolean write,
      @Nullable WriteNotes notes,
      List<Blocks> blocks,
      @Nullable Frame[] frames) {
    this.state = state;
    this.pins = pins;
    this.strand = strand;
    this.write = write;
    this.notes = notes;
    this.frames = frames;
    this.end = strand.end;
    this.places = List.copyOf(places(blocks, frames));
    this.mappable = isMappable(frames);
    Blocks last = blocks.getLast();
    this.from = blocks.getFirst().first << strand.shift;
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
   * The holder has released them. If it has written all that it wanted to, the strand ends at
   * {@code writtenTo} or behind it. False if something of that may be lost, because its blocks had
   * been taken away: then it has to be written again.
   */
  public boolean release(boolean written, long writtenTo) {
    state.acquire();
    try {
      if (over) {
        return false;
      }
      closeNotes();
      boolean accepted = !write || (written && !refused);
      over = true;
      pins.end(this, accepted && write && notes == null, Math.min(writtenTo, reach));
      return accepted;
    } finally {
      state.release();
    }
  }

  /**
   * The holder's process is no more, so that nobody touches them: what it has written of them so
   * far stays.
   */
  public void holderGone() {
    state.acquire();
    try {
      if (!over) {
        closeNotes();
        over = true;
        pins.end(this, false, 0);
      }
    } finally {
      state.release();
    }
  }

  /**
   * The holder has had them for too long: the blocks get other memory, or are forgotten if they are
   * in the store as well. Waits; if it fails some of them are still held, and it can be tried
   * again.
   */
  public void expire() throws IOException {
    state.acquire();
    try {
      if (!over && !tryRecall()) {
        pins.takeAway(this, state.deadline());
      }
    } finally {
      state.release();
    }
  }

  /** Whether it has come to its end. */
  public boolean isOver() {
    state.acquire();
    try {
      return over;
    } finally {
      state.release();
    }
  }

  /** Takes over what the holder has noted. Called with the lock held, while the notes are open. */
  void look() {
    if (notes != null && notes.hasNews()) {
      note(notes.take());
    }
  }

  /**
   * Ends a kept pin if its holder is not just writing. Else, and if it is not a kept one, false:
   * but what the holder of a kept one writes is refused from now on. Called with the lock held.
   */
  boolean tryRecall() {
    if (notes == null) {
      return false;
    }
    closeNotes();
    if (!over && !cut) {
      over = true;
      pins.end(this, false, 0);
    }
    return over;
  }

  /** Takes over what the holder has noted for the last time. */
  private void closeNotes() {
    if (notes != null && strand.kept.remove(this)) {
      WriteNotes.News last = notes.close();
      note(last);
      cut = last.busy();
      refused |= cut;
    }
  }

  private void note(WriteNotes.News news) {
    long reached = news.blocks() == 0 ? 0 : Math.min(from + news.end(), reach);
    if (news.blocks() != 0) {
      state.modified(strand);
    }
    if (reached > strand.end) {
      strand.end = reached;
      strand.changes++;
    }
    for (int i = 0; i < frames.length; i++) {
      Frame frame = frames[i];
      boolean noted = (news.blocks() >>> i & 1) != 0;
      if (noted && frame != null && frame.block << strand.shift < strand.end) {
        state.markDirty(frame, strand, 0, frame.bytes);
      }
    }
  }

  /** Whether blocks may have been written of which this process does not know it. */
  boolean isAnythingWritten() {
    return notes == null || cut;
  }

  boolean holds(Frame frame) {
    for (Frame one : frames) {
      if (one == frame) {
        return true;
      }
    }
    return false;
  }
}
