package org.millrace.heritage.elfs;

import java.nio.ByteBuffer;

/**
 * A number in a record that is the record's coordinate in one dimension. Little-endian in the file.
 *
 * <p>Everywhere else keys are longs in the order of the numbers they stand for: whole numbers
 * themselves, the bits of floating-point numbers with those of negative ones turned round. Minus
 * zero is zero; what is not a number lies above infinity.
 *
 * <p>Immutable.
 *
 * @param kind what it is
 * @param offset where it lies in the record
 */
public record KeyField(Kind kind, int offset) {

  /** What a key is. */
  public enum Kind {
    /** A whole number of four bytes. */
    INT32(4),
    /** A whole number of eight bytes. */
    INT64(8),
    /** A floating-point number of four bytes. */
    FLOAT32(4),
    /** A floating-point number of eight bytes. */
    FLOAT64(8);

    private final int bytes;

    Kind(int bytes) {
      this.bytes = bytes;
    }

    boolean isWhole() {
      return this == INT32 || this == INT64;
    }
  }

  /** Checks the offset. */
  public KeyField {
    if (offset < 0) {
      throw new IllegalArgumentException("a key at byte " + offset + " of a record");
    }
  }

  int end() {
    return offset + kind.bytes;
  }

  /** The key of the record that begins at a place of a little-endian buffer. */
  long key(ByteBuffer records, int start) {
    int at = start + offset;
    return switch (kind) {
      case INT32 -> records.getInt(at);
      case INT64 -> records.getLong(at);
      case FLOAT32 -> sortable(records.getFloat(at));
      case FLOAT64 -> sortable(records.getDouble(at));
    };
  }

  static long sortable(double value) {
    long bits = Double.doubleToLongBits(value + 0.0);
    return bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }

  /** The lowest key that is not below a number. */
  long notBelow(Number bound) {
    if (!kind.isWhole()) {
      double nearest = bound.doubleValue();
      return sortable(compare(nearest, bound) < 0 ? Math.nextUp(nearest) : nearest);
    }
    return KeyRange.isWhole(bound) ? bound.longValue() : (long) Math.ceil(bound.doubleValue());
  }

  /** The highest key that is not above a number. */
  long notAbove(Number bound) {
    if (!kind.isWhole()) {
      double nearest = bound.doubleValue();
      return sortable(compare(nearest, bound) > 0 ? Math.nextDown(nearest) : nearest);
    }
    return KeyRange.isWhole(bound) ? bound.longValue() : (long) Math.floor(bound.doubleValue());
  }

  /** Compares the double nearest to a bound with the bound: a large long is none. */
  private static int compare(double nearest, Number bound) {
    if (!KeyRange.isWhole(bound)) {
      return 0;
    }
    return nearest == 0x1p63 ? 1 : Long.compare((long) nearest, bound.longValue());
  }

  /** Whether no whole number lies in a range because it lies beyond all of them. */
  boolean isBeyond(KeyRange range) {
    return kind.isWhole()
        && ((!KeyRange.isWhole(range.lower()) && range.lower().doubleValue() >= 0x1p63)
            || (!KeyRange.isWhole(range.upper()) && range.upper().doubleValue() < -0x1p63));
  }
}
