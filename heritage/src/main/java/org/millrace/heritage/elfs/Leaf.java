package org.millrace.heritage.elfs;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A page of entries of a {@link RangeIndex}, in memory.
 *
 * <pre>
 *   0      4       8          16                        16 + (dimensions + 1) * 8
 *   | LEAF | count | overflow | key 0 ... key d-1, record number | next entry ...
 * </pre>
 *
 * <p>Only pages whose keys are all equal overflow. Belongs to one thread.
 */
final class Leaf {

  static final int BYTES = 4096;
  static final int KIND = 2;
  static final int COUNT_AT = 4;
  static final int OVERFLOW_AT = 8;
  private static final int ENTRIES_AT = 16;

  // constant after construction
  private final ByteBuffer page;
  private final int dimensions;

  Leaf(ByteBuffer page, int dimensions) {
    this.page = page;
    this.dimensions = dimensions;
  }

  static Leaf empty(int dimensions) {
    return new Leaf(ByteBuffer.allocate(BYTES).putInt(0, KIND), dimensions);
  }

  static int capacity(int dimensions) {
    return (BYTES - ENTRIES_AT) / entryBytes(dimensions);
  }

  static int entryBytes(int dimensions) {
    return (dimensions + 1) * Long.BYTES;
  }

  ByteBuffer page() {
    return page;
  }

  int count() {
    return page.getInt(COUNT_AT);
  }

  boolean isFull() {
    return count() == capacity(dimensions);
  }

  long overflow() {
    return page.getLong(OVERFLOW_AT);
  }

  void overflow(long to) {
    page.putLong(OVERFLOW_AT, to);
  }

  int entryAt(int entry) {
    return ENTRIES_AT + entry * entryBytes(dimensions);
  }

  long key(int entry, int dimension) {
    return page.getLong(entryAt(entry) + dimension * Long.BYTES);
  }

  long[] keys(int entry) {
    long[] keys = new long[dimensions];
    for (int d = 0; d < dimensions; d++) {
      keys[d] = key(entry, d);
    }
    return keys;
  }

  long record(int entry) {
    return page.getLong(entryAt(entry) + dimensions * Long.BYTES);
  }

  void add(long[] keys, long record) {
    int at = entryAt(count());
    for (int d = 0; d < dimensions; d++) {
      page.putLong(at + d * Long.BYTES, keys[d]);
    }
    page.putLong(at + dimensions * Long.BYTES, record);
    page.putInt(COUNT_AT, count() + 1);
  }

  /** Whether all entries have these keys. */
  boolean isAll(long[] keys) {
    for (int i = 0; i < count(); i++) {
      if (!Arrays.equals(keys(i), keys)) {
        return false;
      }
    }
    return true;
  }
}
