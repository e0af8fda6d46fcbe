package org.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * Finds the frame of a block: open addressing with linear probing, removal by shifting back, at
 * most half full. Neither looking up nor changing allocates, except when the table doubles. Owned
 * by the cache's lock.
 */
final class FrameTable {

  private static final int SMALLEST = 16;

  private @Nullable Frame[] places = new @Nullable Frame[SMALLEST];
  private int size;

  int size() {
    return size;
  }

  @Nullable Frame find(Strand strand, long block) {
    int mask = places.length - 1;
    for (int i = home(strand, block, mask); ; i = (i + 1) & mask) {
      Frame frame = places[i];
      if (frame == null || (frame.block == block && frame.strand == strand)) {
        return frame;
      }
    }
  }

  void add(Frame frame) {
    if (2 * (size + 1) > places.length) {
      @Nullable Frame[] old = places;
      places = new @Nullable Frame[2 * old.length];
      for (Frame each : old) {
        if (each != null) {
          place(each);
        }
      }
    }
    place(frame);
    size++;
  }

  private void place(Frame frame) {
    int mask = places.length - 1;
    int i = home(frame, mask);
    while (places[i] != null) {
      i = (i + 1) & mask;
    }
    places[i] = frame;
  }

  void remove(Frame frame) {
    int mask = places.length - 1;
    int hole = home(frame, mask);
    while (places[hole] != frame) {
      hole = (hole + 1) & mask;
    }
    for (int i = (hole + 1) & mask; ; i = (i + 1) & mask) {
      Frame next = places[i];
      if (next == null) {
        break;
      }
      // It may move back into the hole unless its home lies behind the hole, seen from where it is.
      if (((i - home(next, mask)) & mask) >= ((i - hole) & mask)) {
        places[hole] = next;
        hole = i;
      }
    }
    places[hole] = null;
    size--;
  }

  private static int home(Frame frame, int mask) {
    Strand strand = frame.strand;
    return strand == null ? 0 : home(strand, frame.block, mask);
  }

  private static int home(Strand strand, long block, int mask) {
    long mixed = (strand.id * 0x9E3779B97F4A7C15L + block) * 0xD6E8FEB86659FD93L;
    return (int) (mixed >>> 32) & mask;
  }
}
