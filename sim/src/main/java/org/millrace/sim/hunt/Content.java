package org.millrace.sim.hunt;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.StringJoiner;

/** What the writes of the hunt write: each cell of a file says by whom and where. Stateless. */
final class Content {

  /** All accesses of the hunt are of whole cells. Sectors and stripe units are multiples of it. */
  static final int CELL = 64;

  static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Content() {}

  /** Fills cell {@code at} of memory with what write {@code id} has for cell {@code cell}. */
  static void fill(MemorySegment memory, int at, int id, long cell) {
    for (int i = 0; i < CELL; i += Long.BYTES) {
      memory.set(WORD, (long) at * CELL + i, word(id, cell, i));
    }
  }

  /** Whether cell {@code at} of memory is what write {@code id} has for cell {@code cell}. */
  static boolean matches(MemorySegment memory, int at, int id, long cell) {
    for (int i = 0; i < CELL; i += Long.BYTES) {
      if (memory.get(WORD, (long) at * CELL + i) != word(id, cell, i)) {
        return false;
      }
    }
    return true;
  }

  /** A byte of what write {@code id} has for cell {@code cell}. */
  static byte byteOf(int id, long cell, int place) {
    int shift = 8 * (place % Long.BYTES);
    return (byte) (word(id, cell, place - place % Long.BYTES) >>> shift);
  }

  /** The bytes of a cell. */
  static byte[] copy(MemorySegment memory, int at) {
    return memory.asSlice((long) at * CELL, CELL).toArray(ValueLayout.JAVA_BYTE);
  }

  /** As {@link #matches}, but for one bit. */
  static boolean matchesButOneBit(MemorySegment memory, int at, int id, long cell) {
    int bits = 0;
    for (int i = 0; i < CELL; i += Long.BYTES) {
      bits += Long.bitCount(memory.get(WORD, (long) at * CELL + i) ^ word(id, cell, i));
    }
    return bits == 1;
  }

  /** What a cell seems to be, for people. */
  static String describe(MemorySegment memory, int at) {
    StringJoiner words = new StringJoiner(" ", "is ", "");
    for (int i = 0; i < CELL; i += Long.BYTES) {
      words.add(Long.toHexString(memory.get(WORD, (long) at * CELL + i)));
    }
    return words.toString();
  }

  private static long word(int id, long cell, int place) {
    if (id == Write.NOTHING) {
      return 0;
    }
    if (place == 0) {
      return (long) id << 32 | cell; // to be read by people
    }
    long z = ((long) id << 32 | cell) * 0x9E3779B97F4A7C15L + place;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    return z ^ (z >>> 27);
  }
}
