package org.millrace.access;

/**
 * Some indices of one dimension, ascending: runs of neighbours at equal distances, the last of them
 * perhaps cut. Ranges and the parts of distributions are both of this kind. Immutable.
 *
 * @param first the first index
 * @param run indices in a run, at least 1
 * @param period from the start of one run to that of the next, at least {@code run}
 * @param count indices in all
 */
record Indices(long first, long run, long period, long count) {

  static Indices of(Range range) {
    return new Indices(range.lower(), 1, range.stride(), range.count());
  }

  /** The index with a number, counted from 0. */
  long at(long number) {
    return first + number / run * period + number % run;
  }

  long last() {
    return at(count - 1);
  }

  /** How many of them are lower than an index. */
  long below(long index) {
    if (index <= first) {
      return 0;
    }
    long above = index - first;
    return Math.min(count, above / period * run + Math.min(run, above % period));
  }

  /** The same further up. */
  Indices shifted(long by) {
    return new Indices(Math.addExact(first, by), run, period, count);
  }
}
