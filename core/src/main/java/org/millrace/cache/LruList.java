package org.millrace.cache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * All frames that hold a block, ordered by last use. The links are in arrays by frame number, small
 * enough to stay in the processor's cache. A use is only recorded; the order is updated, exactly,
 * when there are many records or the order is needed. Moving many frames at once overlaps cache
 * misses that would otherwise delay each hit.
 *
 * <p>Owned by the cache's lock.
 */
final class LruList {

  private static final int NOTES = 128;
  private static final int NONE = -1;

  // By number: a ring, in which the one newer than the newest is the oldest.
  private @Nullable Frame[] frames = new @Nullable Frame[NOTES];
  private int[] older = new int[NOTES];
  private int[] newer = new int[NOTES];
  private int newest = NONE;
  private int size;

  /** Frames used since the order was brought up to date, in that order. */
  private final int[] notes = new int[NOTES];

  private int noted;

  int size() {
    return size;
  }

  @Nullable Frame oldest() {
    settle();
    return newest == NONE ? null : frames[newer[newest]];
  }

  /**
   * The next more recently used one, null after the newest. Holds only if nothing changed since
   * {@link #oldest}.
   */
  @Nullable Frame newerThan(Frame frame) {
    return frame.number == newest ? null : frames[newer[frame.number]];
  }

  void addNewest(Frame frame) {
    settle();
    insert(frame);
    newest = frame.number;
  }

  /** Adds as the first one to go. */
  void addOldest(Frame frame) {
    settle();
    insert(frame);
    if (size == 1) {
      newest = frame.number;
    }
  }

  private void insert(Frame frame) {
    int number = frame.number;
    if (number >= frames.length) {
      int length = Math.max(number + 1, 2 * frames.length);
      frames = Arrays.copyOf(frames, length);
      older = Arrays.copyOf(older, length);
      newer = Arrays.copyOf(newer, length);
    }
    frames[number] = frame;
    linkAsNewest(number);
    size++;
  }

  /** Between the newest and the oldest: the caller says which of both it is now. */
  private void linkAsNewest(int number) {
    if (newest == NONE) {
      link(number, number);
    } else {
      link(number, newer[newest]);
      link(newest, number);
    }
  }

  void remove(Frame frame) {
    settle();
    unlink(frame.number);
    frames[frame.number] = null;
    size--;
  }

  private void unlink(int number) {
    if (newest == number) {
      newest = older[number] == number ? NONE : older[number];
    }
    link(older[number], newer[number]);
  }

  /** Says that the frame is used now. */
  void touch(Frame frame) {
    int number = frame.number;
    if (noted > 0 && notes[noted - 1] == number) {
      return;
    }
    notes[noted++] = number;
    if (noted == NOTES) {
      settle();
    }
  }

  private void settle() {
    for (int i = 0; i < noted; i++) {
      int number = notes[i];
      if (number != newest) {
        unlink(number);
        linkAsNewest(number);
        newest = number;
      }
    }
    noted = 0;
  }

  private void link(int before, int after) {
    newer[before] = after;
    older[after] = before;
  }
}
