package org.millrace.cli.campaign;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * 512 bytes that say which they are: any that is lost, old, torn or in the wrong place is
 * recognized. Stateless.
 *
 * <pre>
 *   magic | file | sector | sequence | 58 times a mix of these and its place | their sum
 * </pre>
 */
final class Sector {

  static final int BYTES = 512;

  /** What a sector holds that was never written. */
  static final long NEVER = 0;

  /** What a sector holds that is none of ours, or only a part of one. */
  static final long WRONG = -1;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final long MAGIC = 0x4d494c4c52414345L;
  private static final int LONGS = BYTES / Long.BYTES;
  private static final int HEAD = 4;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Sector() {}

  /** Fills a sector. */
  static void stamp(MemorySegment into, long at, int file, long sector, long sequence) {
    long[] head = {MAGIC, file, sector, sequence};
    long sum = 0;
    for (int i = 0; i < LONGS - 1; i++) {
      long word = i < HEAD ? head[i] : filler(file, sector, sequence, i);
      into.set(LONG, at + (long) i * Long.BYTES, word);
      sum = sum * GOLDEN + word;
    }
    into.set(LONG, at + (LONGS - 1L) * Long.BYTES, sum);
  }

  /** The sequence with which a sector was stamped; {@link #NEVER} or {@link #WRONG}. */
  static long read(MemorySegment from, long at, int file, long sector) {
    boolean empty = true;
    for (int i = 0; i < LONGS && empty; i++) {
      empty = from.get(LONG, at + (long) i * Long.BYTES) == 0;
    }
    if (empty) {
      return NEVER;
    }
    long sequence = from.get(LONG, at + 3L * Long.BYTES);
    long[] head = {MAGIC, file, sector, sequence};
    long sum = 0;
    for (int i = 0; i < LONGS - 1; i++) {
      long word = from.get(LONG, at + (long) i * Long.BYTES);
      if (word != (i < HEAD ? head[i] : filler(file, sector, sequence, i))) {
        return WRONG;
      }
      sum = sum * GOLDEN + word;
    }
    return from.get(LONG, at + (LONGS - 1L) * Long.BYTES) == sum && sequence > 0 ? sequence : WRONG;
  }

  private static long filler(int file, long sector, long sequence, int place) {
    long mixed = (sequence * GOLDEN ^ sector) * GOLDEN + 31L * file + place;
    return mixed ^ mixed >>> 29;
  }
}
