package org.millrace.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Shared pointers in memory that several processes map. The coordinator makes and removes them;
 * clients of the same host move them without a message. Pure functions over the memory:
 *
 * <pre>
 *   slot i at byte 64 * i:
 *     0   i64 key     0 while the slot is free
 *     8   i64 value   where the pointer stands, at least 0; with the sign bit: frozen there
 *     16  i64 open    whose synchronizing call has moved the pointer last, or is about to
 *     24  i64 call    the number of that call
 *     32  32 bytes    unused, so that no two pointers share a line of a processor's cache
 * </pre>
 *
 * All numbers are in the machine's byte order and aligned. The low {@link #INDEX_BITS} bits of a
 * key are the index of its slot; a key whose slot lies beyond the memory is kept elsewhere: {@link
 * #holds} tells, and such a pointer is moved by {@link org.millrace.message.Link#advance}. No key
 * is ever given twice.
 *
 * <p>A pointer is moved by compare-and-set of its value after its key was found in the slot. A
 * process that stops between the two, while the pointer is removed and the slot given to another,
 * could move that one by mistake. Therefore freed slots rest: the longest free is used first, and
 * only while many are free; then pointers live elsewhere. A key that has changed by the time of the
 * exchange is reported as gone.
 *
 * <p>Safe for use by several threads and processes; holds no state.
 */
public final class PointerCells {

  /** How many bytes a pointer takes. */
  public static final int SLOT_BYTES = 64;

  /** How many low bits of a key are the index of its slot. */
  public static final int INDEX_BITS = 20;

  /** Answered for a pointer that is not there, or not any more. */
  public static final long GONE = -1;

  private static final long KEY_AT = 0;
  private static final long VALUE_AT = Long.BYTES;
  private static final long OPEN_AT = 2 * Long.BYTES;
  private static final long CALL_AT = 3 * Long.BYTES;
  private static final long FROZEN = Long.MIN_VALUE;
  private static final VarHandle CELL = ValueLayout.JAVA_LONG.varHandle();

  private PointerCells() {}

  /** How many pointers fit. */
  public static int slots(MemorySegment cells) {
    return (int) Math.min(cells.byteSize() / SLOT_BYTES, 1L << INDEX_BITS);
  }

  /** Whether the pointer with this key, if there is one, is kept in these cells. */
  public static boolean holds(MemorySegment cells, long key) {
    return index(key) < slots(cells);
  }

  /**
   * Moves a pointer on as {@link org.millrace.message.Link#advance} says, sums beyond a long
   * counting as beyond any limit; returns where the taken range starts, or {@link #GONE}.
   */
  public static long advance(MemorySegment cells, long key, long delta, long floor, long limit) {
    if (delta < 0) {
      throw new IllegalArgumentException("a shared pointer cannot move on by " + delta);
    }
    long slot = slot(key);
    while (keyAt(cells, slot) == key) {
      long pointer = valueAt(cells, slot);
      if (keyAt(cells, slot) != key || pointer < 0) {
        break;
      }
      if (CELL.compareAndSet(
          cells, slot + VALUE_AT, pointer, after(pointer, delta, floor, limit))) {
        return keyAt(cells, slot) == key ? Math.max(pointer, floor) : GONE;
      }
      Thread.onSpinWait();
    }
    return GONE;
  }

  /** Where a pointer at {@code pointer} stands after it was moved on. */
  public static long after(long pointer, long delta, long floor, long limit) {
    long start = Math.max(pointer, floor);
    long end = start + delta;
    long bound = Math.max(start, limit);
    return end < start || end > bound ? bound : end;
  }

  /** Where a pointer stands, or {@link #GONE}. */
  public static long at(MemorySegment cells, long key) {
    long slot = slot(key);
    if (keyAt(cells, slot) != key) {
      return GONE;
    }
    long value = valueAt(cells, slot);
    return keyAt(cells, slot) == key && value >= 0 ? value : GONE;
  }

  /**
   * Lets nobody move a pointer any more, since the coordinator that kept it has ended. Returns
   * where it stands, also if it was frozen before, or {@link #GONE}.
   */
  public static long freeze(MemorySegment cells, long key) {
    long slot = slot(key);
    while (keyAt(cells, slot) == key) {
      long value = valueAt(cells, slot);
      if (value < 0 || CELL.compareAndSet(cells, slot + VALUE_AT, value, value | FROZEN)) {
        return value & ~FROZEN;
      }
    }
    return GONE;
  }

  /** Says, before a pointer is moved, whose synchronizing call moves it. For the coordinator. */
  public static void mark(MemorySegment cells, long key, long open, long sequence) {
    CELL.setVolatile(cells, slot(key) + OPEN_AT, open);
    CELL.setVolatile(cells, slot(key) + CALL_AT, sequence);
  }

  /** The open file whose synchronizing call moved a pointer last. */
  public static long markedOpen(MemorySegment cells, long key) {
    return (long) CELL.getVolatile(cells, slot(key) + OPEN_AT);
  }

  /** The number of that call. */
  public static long markedCall(MemorySegment cells, long key) {
    return (long) CELL.getVolatile(cells, slot(key) + CALL_AT);
  }

  /** Sets a pointer. False if it is gone. */
  public static boolean set(MemorySegment cells, long key, long value) {
    if (value < 0) {
      throw new IllegalArgumentException("a shared pointer cannot be at " + value);
    }
    long slot = slot(key);
    while (keyAt(cells, slot) == key) {
      long before = valueAt(cells, slot);
      if (before < 0) {
        return false;
      }
      if (keyAt(cells, slot) == key && CELL.compareAndSet(cells, slot + VALUE_AT, before, value)) {
        return keyAt(cells, slot) == key;
      }
    }
    return false;
  }

  /** Makes a pointer in the slot that its key names. For the coordinator. */
  public static void add(MemorySegment cells, long key, long value) {
    CELL.setVolatile(cells, slot(key) + VALUE_AT, value);
    mark(cells, key, 0, 0);
    CELL.setVolatile(
        cells, slot(key) + KEY_AT, key); // last: a reader that finds the key finds the value
  }

  /** Frees the slot of a pointer. For the coordinator. */
  public static void remove(MemorySegment cells, long key) {
    CELL.setVolatile(cells, slot(key) + KEY_AT, 0L);
  }

  /** The index of the slot of a pointer. */
  public static int index(long key) {
    return (int) (key & ((1 << INDEX_BITS) - 1));
  }

  private static long slot(long key) {
    return (long) index(key) * SLOT_BYTES;
  }

  private static long keyAt(MemorySegment cells, long slot) {
    return (long) CELL.getVolatile(cells, slot + KEY_AT);
  }

  private static long valueAt(MemorySegment cells, long slot) {
    return (long) CELL.getVolatile(cells, slot + VALUE_AT);
  }
}
