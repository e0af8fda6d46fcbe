package org.millrace.cache;

import org.jspecify.annotations.Nullable;

/** All frames that hold a block, ordered by last use. Owned by the cache's lock. */
final class LruList {

  private @Nullable Frame newest;
  private int size;

  int size() {
    return size;
  }

  @Nullable Frame oldest() {
    // The list is a ring: the one newer than the newest is the oldest.
    return newest == null ? null : newest.newer;
  }

  /** The next more recently used one, null after the newest. */
  @Nullable Frame newerThan(Frame frame) {
    return frame == newest ? null : frame.newer;
  }

  void addNewest(Frame frame) {
    insert(frame);
    newest = frame;
  }

  /** Adds as the first one to go. */
  void addOldest(Frame frame) {
    insert(frame);
    if (newest == null) {
      newest = frame;
    }
  }

  private void insert(Frame frame) {
    Frame head = newest;
    if (head != null) {
      link(frame, head.newer);
      link(head, frame);
    }
    size++;
  }

  void remove(Frame frame) {
    if (size == 1) {
      newest = null;
    } else {
      if (newest == frame) {
        newest = frame.older;
      }
      link(frame.older, frame.newer);
      link(frame, frame);
    }
    size--;
  }

  /** Says that the frame is used now. */
  void touch(Frame frame) {
    if (frame != newest) {
      remove(frame);
      addNewest(frame);
    }
  }

  private static void link(Frame older, Frame newer) {
    older.newer = newer;
    newer.older = older;
  }
}
