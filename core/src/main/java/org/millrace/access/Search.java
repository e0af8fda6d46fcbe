package org.millrace.access;

/** Binary search in ascending arrays. Holds no state. */
final class Search {

  private Search() {}

  /** The index of the last of the first {@code n} values that is not above the key; -1 if none. */
  static int last(long[] values, int n, long key) {
    int low = 0;
    int high = n;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (values[middle] <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
