package org.millrace.heritage.elfs;

/**
 * A box of keys, bounds included. Not changed after it was made.
 *
 * @param lower by dimension
 * @param upper by dimension
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record Box(long[] lower, long[] upper) {

  boolean isEmpty() {
    for (int d = 0; d < lower.length; d++) {
      if (lower[d] > upper[d]) {
        return true;
      }
    }
    return false;
  }

  boolean contains(long[] keys) {
    for (int d = 0; d < lower.length; d++) {
      if (keys[d] < lower[d] || keys[d] > upper[d]) {
        return false;
      }
    }
    return true;
  }
}
