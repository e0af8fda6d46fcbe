package org.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * A list of frames in the order of joining, linked through the frames. Owned by the cache's lock.
 */
final class FrameChain {

  /** The frames of one strand. */
  static final int STRAND = 0;

  /** The dirty frames of one strand. */
  static final int STRAND_DIRTY = 1;

  /** The dirty frames of all strands, the longest dirty first. */
  static final int DIRTY = 2;

  private final int kind;
  private @Nullable Frame first;
  private int size;

  FrameChain(int kind) {
    this.kind = kind;
  }

  int size() {
    return size;
  }

  @Nullable Frame first() {
    return first;
  }

  /** The frame after this one, null after the last. */
  @Nullable Frame after(Frame frame) {
    Frame next = frame.chainNext[kind];
    return next == first ? null : next;
  }

  void add(Frame frame) {
    Frame head = first;
    if (head == null) {
      first = frame;
    } else {
      Frame last = head.chainPrevious[kind];
      link(last, frame);
      link(frame, head);
    }
    size++;
  }

  void remove(Frame frame) {
    if (size == 1) {
      first = null;
    } else {
      if (first == frame) {
        first = frame.chainNext[kind];
      }
      link(frame.chainPrevious[kind], frame.chainNext[kind]);
      link(frame, frame);
    }
    size--;
  }

  private void link(Frame before, Frame after) {
    before.chainNext[kind] = after;
    after.chainPrevious[kind] = before;
  }
}
