package org.millrace.heritage.elfs;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a record of a {@link RangeSearchFile} looks like: its size, and where its keys are, one for
 * each dimension of the data space. Immutable.
 *
 * @param recordBytes bytes of a record
 * @param keys by dimension
 */
public record RecordFormat(int recordBytes, List<KeyField> keys) {

  /** How many dimensions there may be. */
  public static final int MAX_DIMENSIONS = 64;

  /** Checks that keys lie in the record. */
  public RecordFormat {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || keys.size() > MAX_DIMENSIONS) {
      throw new IllegalArgumentException(
          keys.size() + " keys, must be from 1 to " + MAX_DIMENSIONS);
    }
    for (KeyField key : keys) {
      if (key.end() > recordBytes) {
        throw new IllegalArgumentException(
            key + " does not lie in a record of " + recordBytes + " bytes");
      }
    }
  }

  /** How many dimensions the data space has. */
  public int dimensions() {
    return keys.size();
  }

  /** The keys of a record in a little-endian buffer. */
  long[] keysAt(ByteBuffer records, int start) {
    long[] found = new long[dimensions()];
    for (int d = 0; d < found.length; d++) {
      found[d] = keys.get(d).key(records, start);
    }
    return found;
  }

  /** A box as keys. */
  Box box(List<KeyRange> ranges) {
    if (ranges.size() != dimensions()) {
      throw new IllegalArgumentException(
          ranges.size() + " ranges for " + dimensions() + " dimensions");
    }
    long[] lower = new long[dimensions()];
    long[] upper = new long[dimensions()];
    for (int d = 0; d < lower.length; d++) {
      lower[d] = keys.get(d).notBelow(ranges.get(d).lower());
      upper[d] = keys.get(d).notAbove(ranges.get(d).upper());
      if (keys.get(d).isBeyond(ranges.get(d))) {
        lower[d] = 1;
        upper[d] = 0;
      }
    }
    return new Box(lower, upper);
  }
}
