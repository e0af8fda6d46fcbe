package org.millrace.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.millrace.client.Mode;

/**
 * What a shared file should be: a plain array of bytes, and where everybody stands. Belongs to one
 * thread; in a run each rank keeps one and all go the same way.
 */
final class ModelFile {

  private byte[] content;

  // of the ranks that have it open
  int ranks;
  Mode mode = Mode.INDEPENDENT;
  List<ModelView> views = List.of();
  boolean viewsAreDisjoint;
  int[] own = {};
  int shared;

  ModelFile(byte[] content) {
    this.content = content.clone();
  }

  void open(int newRanks, Mode newMode) {
    ranks = newRanks;
    mode = newMode;
    setViews(Collections.nCopies(ranks, ModelView.WHOLE), ranks == 1);
  }

  void setViews(List<ModelView> newViews, boolean disjoint) {
    views = new ArrayList<>(newViews);
    viewsAreDisjoint = disjoint;
    own = new int[ranks];
    shared = 0;
  }

  void setMode(Mode newMode) {
    moveAllTo(mode.sharesPointer() ? shared : own[0]);
    mode = newMode;
  }

  void moveAllTo(int position) {
    Arrays.fill(own, position);
    shared = position;
  }

  byte[] content() {
    return content.clone();
  }

  int size() {
    return content.length;
  }

  void resize(int size) {
    content = Arrays.copyOf(content, size);
  }

  int end(int rank) {
    return views.get(rank).end(content.length);
  }

  /** The largest end that any rank sees. */
  int largestEnd() {
    int largest = 0;
    for (int r = 0; r < ranks; r++) {
      largest = Math.max(largest, end(r));
    }
    return largest;
  }

  void write(int rank, int position, byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      int offset = views.get(rank).offsetOf(position + i);
      if (offset >= content.length) {
        resize(offset + 1);
      }
      content[offset] = bytes[i];
    }
  }

  /** What a read gives: fewer bytes where the file ends. */
  byte[] read(int rank, int position, int wanted) {
    byte[] bytes = new byte[Math.clamp((long) end(rank) - position, 0, wanted)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = content[views.get(rank).offsetOf(position + i)];
    }
    return bytes;
  }
}
