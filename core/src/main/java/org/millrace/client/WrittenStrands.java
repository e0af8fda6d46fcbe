package org.millrace.client;

import java.util.concurrent.atomic.AtomicLongArray;
import org.millrace.access.Access;
import org.millrace.layout.Layout;

/**
 * The strands of an open file that this rank has changed: what closing has to make durable. A rank
 * of thousands mostly changes few of them.
 *
 * <p>Safe for use by several threads: strands are only ever added.
 */
final class WrittenStrands {

  // constant after construction
  private final Layout layout;
  private final AtomicLongArray words;

  WrittenStrands(Layout layout) {
    this.layout = layout;
    this.words = new AtomicLongArray(Math.ceilDiv(layout.strands(), Long.SIZE));
  }

  void add(int strand) {
    int word = strand / Long.SIZE;
    long bit = 1L << strand % Long.SIZE;
    if ((words.get(word) & bit) == 0) {
      words.getAndUpdate(word, bits -> bits | bit);
    }
  }

  /** Adds the strands that hold bytes of an access. */
  void add(Access access) {
    if (access.isEmpty()) {
      return;
    }
    boolean[] touched = layout.touches(access.view(), access.from(), access.to());
    for (int strand = 0; strand < touched.length; strand++) {
      if (touched[strand]) {
        add(strand);
      }
    }
  }

  void addAll() {
    for (int strand = 0; strand < layout.strands(); strand++) {
      add(strand);
    }
  }

  boolean has(int strand) {
    return (words.get(strand / Long.SIZE) & 1L << strand % Long.SIZE) != 0;
  }
}
