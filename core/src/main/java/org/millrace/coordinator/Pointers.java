package org.millrace.coordinator;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Shared pointers by key. {@link #advance}, {@link #set} and {@link #at} may be called by any
 * thread, take no lock and allocate nothing; {@link #add} and {@link #remove} are guarded by the
 * coordinator's lock.
 *
 * <p>A key is a slot's index in its low bits and a number that is never used again above them, so
 * that the key of a pointer that is gone never finds its successor in the slot. A thread that has
 * found a slot just before it is removed moves a pointer that nobody will look at any more.
 */
final class Pointers {

  private static final int INDEX_BITS = 20;
  private static final int MAX_SLOTS = 1 << INDEX_BITS;
  private static final int FIRST_SLOTS = 16;

  // constant after construction; grows by being replaced
  private volatile AtomicReferenceArray<@Nullable Slot> slots =
      new AtomicReferenceArray<>(FIRST_SLOTS);

  // guarded by the coordinator's lock
  private final Deque<Integer> free = new ArrayDeque<>();
  private int used;
  private long serial;

  /** A new pointer at 0 that the given sessions may use. */
  long add(long[] sessions) throws MillraceException {
    int index = free.isEmpty() ? used++ : free.pop();
    if (index >= MAX_SLOTS) {
      used--;
      throw new MillraceException(
          ErrorCode.INVALID, "more than " + MAX_SLOTS + " shared pointers at a time");
    }
    if (index >= slots.length()) {
      grow();
    }
    long key = ++serial << INDEX_BITS | index;
    slots.set(index, new Slot(key, sessions));
    return key;
  }

  void remove(long key) {
    int index = index(key);
    slots.set(index, null);
    free.push(index);
  }

  /**
   * Takes a range, as {@link org.millrace.message.Link#advance} says; sums beyond a long count as
   * beyond any limit.
   */
  long advance(long session, long key, long delta, long floor, long limit)
      throws MillraceException {
    if (delta < 0) {
      throw new MillraceException(ErrorCode.INVALID, "a shared pointer cannot move on by " + delta);
    }
    Slot slot = require(session, key);
    while (true) {
      long pointer = slot.value();
      long start = Math.max(pointer, floor);
      long end = start + delta;
      long bound = Math.max(start, limit);
      long next = end < start || end > bound ? bound : end;
      if (slot.swap(pointer, next)) {
        return start;
      }
      Thread.onSpinWait();
    }
  }

  void set(long session, long key, long value) throws MillraceException {
    if (value < 0) {
      throw new MillraceException(ErrorCode.INVALID, "a shared pointer cannot be at " + value);
    }
    require(session, key).set(value);
  }

  long at(long session, long key) throws MillraceException {
    return require(session, key).value();
  }

  /** Throws unless there is such a pointer and the session may use it. */
  void check(long session, long key) throws MillraceException {
    require(session, key);
  }

  private Slot require(long session, long key) throws MillraceException {
    AtomicReferenceArray<@Nullable Slot> table = slots;
    int index = index(key);
    Slot slot = index < table.length() ? table.get(index) : null;
    if (slot == null || slot.key != key) {
      throw new MillraceException(ErrorCode.CLOSED, "shared pointer " + key + " is gone");
    }
    if (!slot.serves(session)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "session " + session + " has not opened the file of shared pointer " + key);
    }
    return slot;
  }

  private static int index(long key) {
    return (int) (key & (MAX_SLOTS - 1));
  }

  private void grow() {
    AtomicReferenceArray<@Nullable Slot> larger = new AtomicReferenceArray<>(2 * slots.length());
    for (int i = 0; i < slots.length(); i++) {
      larger.set(i, slots.get(i));
    }
    slots = larger;
  }

  /**
   * One pointer. Its value lies in the middle of an array of its own, away from what other threads
   * write.
   */
  private static final class Slot {

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CELLS = 24;
    private static final int MIDDLE = 12;

    final long key;
    private final long[] sessions;
    private final long[] cells = new long[CELLS];

    Slot(long key, long[] sessions) {
      this.key = key;
      this.sessions = sessions.clone();
      Arrays.sort(this.sessions);
    }

    boolean serves(long session) {
      return Arrays.binarySearch(sessions, session) >= 0;
    }

    long value() {
      return (long) CELL.getVolatile(cells, MIDDLE);
    }

    void set(long value) {
      CELL.setVolatile(cells, MIDDLE, value);
    }

    boolean swap(long expected, long next) {
      return CELL.compareAndSet(cells, MIDDLE, expected, next);
    }
  }
}
