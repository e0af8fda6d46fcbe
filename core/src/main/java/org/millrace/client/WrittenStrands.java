package org.millrace.client;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The strands of an open file that this rank has changed: what closing has to make durable. A rank
 * of thousands mostly changes few of them.
 *
 * <p>Safe for use by several threads: strands are only ever added.
 */
final class WrittenStrands {

  // constant after construction
  private final AtomicLongArray words;

  WrittenStrands(int strands) {
    this.words = new AtomicLongArray(Math.ceilDiv(strands, Long.SIZE));
  }

  void add(int strand) {
    int word = strand / Long.SIZE;
    long bit = 1L << strand % Long.SIZE;
    if ((words.get(word) & bit) == 0) {
      words.getAndUpdate(word, bits -> bits | bit);
    }
  }

  boolean has(int strand) {
    return (words.get(strand / Long.SIZE) & 1L << strand % Long.SIZE) != 0;
  }
}
