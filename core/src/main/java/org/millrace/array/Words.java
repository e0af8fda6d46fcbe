package org.millrace.array;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;
import org.millrace.array.ElementType.Kind;

/**
 * The type of a Java program's memory: bytes as in the file, or numbers of a primitive Java type in
 * the byte order of this machine. Unsigned numbers are represented by the signed type of their
 * size, complex numbers by pairs.
 */
public enum Words {
  /** Bytes, moved as they are. */
  BYTES(0, false),
  /** {@code byte[]}. */
  BYTE(1, false),
  /** {@code short[]}. */
  SHORT(2, false),
  /** {@code int[]}. */
  INT(4, false),
  /** {@code long[]}. */
  LONG(8, false),
  /** {@code float[]}. */
  FLOAT(4, true),
  /** {@code double[]}. */
  DOUBLE(8, true);

  private final int bytes;
  private final boolean floating;

  Words(int bytes, boolean floating) {
    this.bytes = bytes;
    this.floating = floating;
  }

  /** Throws unless elements of this type can be held. */
  void checkHolds(ElementType type) {
    if (this != BYTES && (bytes != type.wordBytes() || !holds(type.kind()))) {
      throw new IllegalArgumentException(
          "memory of " + this + " cannot hold elements of type " + type);
    }
  }

  private boolean holds(Kind kind) {
    return switch (kind) {
      case BOOL, INT, UINT -> !floating;
      case FLOAT, COMPLEX -> floating;
      case RAW, OPAQUE -> false;
    };
  }

  /** Whether bytes change their order between this memory and a file of elements of this type. */
  boolean swaps(ElementType type) {
    return this != BYTES && !type.isNative();
  }

  /** Turns the bytes of each number round, in the places that a pattern selects. */
  static void swap(MemorySegment memory, Pattern pattern, int wordBytes) {
    Runs runs = pattern.runs(0, pattern.size());
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long at = runs.offset() + i * runs.stride();
        swap(memory, at, runs.length(), wordBytes);
      }
    }
  }

  private static void swap(MemorySegment memory, long from, long length, int wordBytes) {
    switch (wordBytes) {
      case 2 -> {
        var layout = ValueLayout.JAVA_SHORT_UNALIGNED;
        for (long at = from; at < from + length; at += 2) {
          memory.set(layout, at, Short.reverseBytes(memory.get(layout, at)));
        }
      }
      case 4 -> {
        var layout = ValueLayout.JAVA_INT_UNALIGNED;
        for (long at = from; at < from + length; at += 4) {
          memory.set(layout, at, Integer.reverseBytes(memory.get(layout, at)));
        }
      }
      case 8 -> {
        var layout = ValueLayout.JAVA_LONG_UNALIGNED;
        for (long at = from; at < from + length; at += 8) {
          memory.set(layout, at, Long.reverseBytes(memory.get(layout, at)));
        }
      }
      default -> throw new IllegalArgumentException("numbers of " + wordBytes + " bytes");
    }
  }
}
