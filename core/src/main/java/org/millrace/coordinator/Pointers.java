package org.millrace.coordinator;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.protocol.PointerCells;

/**
 * Shared pointers by key. {@link #advance}, {@link #set}, {@link #at} and {@link #has} may be
 * called by any thread, take no lock and allocate nothing; {@link #add}, {@link #serve} and {@link
 * #remove} are guarded by the coordinator's lock.
 *
 * <p>A key is a slot's index in its low bits and a number that is never used again above them, so
 * that the key of a pointer that is gone never finds its successor in the slot. A thread that has
 * found a slot just before it is removed moves a pointer that is no longer read.
 *
 * <p>The first slots lie in memory that others may map, as {@link PointerCells} describes, if there
 * is such memory; the rest, and all that find no rested slot there, on the heap.
 */
final class Pointers {

  private static final int MAX_SLOTS = 1 << PointerCells.INDEX_BITS;
  private static final int FIRST_SLOTS = 16;

  // constant after construction
  private final MemorySegment cells;
  private final int mapped;

  // replaced when it grows
  private volatile AtomicReferenceArray<@Nullable Slot> slots;

  // guarded by the coordinator's lock
  private final Deque<Integer> freeMapped = new ArrayDeque<>(); // the longest free first
  private final Deque<Integer> free = new ArrayDeque<>();
  private int used;
  private long serial;

  // changed with the coordinator's lock held: twice how often a pointer was set
  private volatile long stamp;

  // of earlier lives, those on the heap
  private final Map<Long, Slot> restored = new ConcurrentHashMap<>();

  /** Pointers on the heap. */
  Pointers() {
    this(MemorySegment.NULL, 0, Life.ONLY);
  }

  /**
   * Pointers in {@code cells}, which this clears, as far as they have room.
   *
   * @param firstSerial other than any coordinator has used before
   * @param life whose settings are counted
   */
  Pointers(MemorySegment cells, long firstSerial, Life life) {
    this.stamp = 2 * (life.firstNumber() - 1);
    this.cells = cells.fill((byte) 0);
    this.mapped = PointerCells.slots(cells);
    this.slots = new AtomicReferenceArray<>(Math.max(mapped, FIRST_SLOTS));
    this.used = mapped;
    this.serial = firstSerial;
    for (int index = 0; index < mapped; index++) {
      freeMapped.add(index);
    }
  }

  /** A new pointer at 0 that the given sessions may use. */
  long add(long[] sessions) throws MillraceException {
    // half of the mapped slots rest, so that a late move of a pointer that is gone finds nothing
    boolean shared = freeMapped.size() > mapped / 2;
    int index = shared ? freeMapped.remove() : free.isEmpty() ? used++ : free.pop();
    if (index >= MAX_SLOTS) {
      used--;
      throw new MillraceException(
          ErrorCode.INVALID, "more than " + MAX_SLOTS + " shared pointers at a time");
    }
    if (index >= slots.length()) {
      grow();
    }
    long key;
    do {
      key = ++serial << PointerCells.INDEX_BITS | index;
    } while (restored.containsKey(key));
    if (shared) {
      PointerCells.add(cells, key, 0);
    }
    slots.set(index, new Slot(key, sessions, shared ? cells : null));
    return key;
  }

  /** Lets these sessions use a pointer, and no others. */
  void serve(long key, long[] sessions) {
    Slot slot = find(key);
    if (slot != null) {
      slot.serve(sessions);
    }
  }

  /**
   * A pointer of an earlier life, about which nobody else will say more. It lies in mapped memory
   * again if that is possible: a move there is never under way when the next life begins.
   *
   * @param value where it stands
   * @param lost why that is not known; null if it is
   */
  void restore(long key, long[] sessions, long value, @Nullable String lost) {
    Integer index = PointerCells.index(key);
    if (lost == null && freeMapped.remove(index)) {
      PointerCells.add(cells, key, value);
      slots.set(index, new Slot(key, sessions, cells));
    } else {
      restoreOnHeap(key, sessions, value, lost);
    }
  }

  /** As {@link #restore}, of one that may still {@link #settle} elsewhere. */
  void restoreOnHeap(long key, long[] sessions, long value, @Nullable String lost) {
    Slot slot = new Slot(key, sessions, null);
    slot.set(value);
    slot.lost = lost;
    restored.put(key, slot);
  }

  /** Where a pointer of an earlier life stands, as was found out since. */
  void settle(long key, long value) {
    Slot slot = restored.get(key);
    if (slot != null) {
      slot.set(value);
    }
  }

  /** Says, before a pointer is moved, whose synchronizing call moves it. */
  void mark(long key, long open, long sequence) {
    Slot slot = find(key);
    if (slot != null && slot.mapped != null) {
      PointerCells.mark(cells, key, open, sequence);
    }
  }

  /** As {@link org.millrace.message.Endpoint#stamp}. */
  long stamp() {
    return stamp;
  }

  void remove(long key) {
    if (restored.remove(key) != null) {
      return;
    }
    int index = PointerCells.index(key);
    slots.set(index, null);
    if (index < mapped) {
      PointerCells.remove(cells, key);
      freeMapped.add(index);
    } else {
      free.push(index);
    }
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
    return there(require(session, key).advance(delta, floor, limit), key);
  }

  void set(long session, long key, long value) throws MillraceException {
    if (value < 0) {
      throw new MillraceException(ErrorCode.INVALID, "a shared pointer cannot be at " + value);
    }
    Slot slot = find(session, key);
    long before = stamp;
    stamp = before + 1;
    slot.set(value);
    slot.lost = null; // now it is known
    stamp = before + 2;
  }

  long at(long session, long key) throws MillraceException {
    return there(require(session, key).value(), key);
  }

  /** A pointer's value, for any session; {@link PointerCells#GONE} if there is none. */
  long peek(long key) {
    Slot slot = find(key);
    return slot == null ? PointerCells.GONE : slot.value();
  }

  /** Whether there is such a pointer. */
  boolean has(long key) {
    return peek(key) != PointerCells.GONE;
  }

  private Slot require(long session, long key) throws MillraceException {
    Slot slot = find(session, key);
    String lost = slot.lost;
    if (lost != null) {
      throw new RankFailedException(
          "it is not known where shared pointer " + key + " stands: " + lost + "; set it");
    }
    return slot;
  }

  private Slot find(long session, long key) throws MillraceException {
    Slot slot = find(key);
    if (slot == null) {
      throw gone(key);
    }
    if (!slot.serves(session)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "session " + session + " has not opened the file of shared pointer " + key);
    }
    return slot;
  }

  private @Nullable Slot find(long key) {
    AtomicReferenceArray<@Nullable Slot> table = slots;
    int index = PointerCells.index(key);
    Slot slot = index < table.length() ? table.get(index) : null;
    return slot == null || slot.key != key ? restored.get(key) : slot;
  }

  private static long there(long value, long key) throws MillraceException {
    if (value == PointerCells.GONE) {
      throw gone(key);
    }
    return value;
  }

  private static MillraceException gone(long key) {
    return new MillraceException(ErrorCode.CLOSED, "shared pointer " + key + " no longer exists");
  }

  private void grow() {
    AtomicReferenceArray<@Nullable Slot> larger = new AtomicReferenceArray<>(2 * slots.length());
    for (int i = 0; i < slots.length(); i++) {
      larger.set(i, slots.get(i));
    }
    slots = larger;
  }

  /**
   * One pointer. Its value lies in mapped memory, or in the middle of an array of its own, away
   * from what other threads write.
   */
  private static final class Slot {

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CELLS = 24;
    private static final int MIDDLE = 12;
    private static final long[] NO_CELLS = {};

    final long key;
    private final @Nullable MemorySegment mapped;
    private final long[] cells;

    private volatile long[] sessions; // sorted, and never changed in place
    volatile @Nullable String lost; // why it is not known where it stands

    Slot(long key, long[] sessions, @Nullable MemorySegment mapped) {
      this.key = key;
      this.sessions = sorted(sessions);
      this.mapped = mapped;
      this.cells = mapped == null ? new long[CELLS] : NO_CELLS;
    }

    private static long[] sorted(long[] sessions) {
      long[] sorted = sessions.clone();
      Arrays.sort(sorted);
      return sorted;
    }

    void serve(long[] others) {
      sessions = sorted(others);
    }

    boolean serves(long session) {
      return Arrays.binarySearch(sessions, session) >= 0;
    }

    long value() {
      return mapped == null ? (long) CELL.getVolatile(cells, MIDDLE) : PointerCells.at(mapped, key);
    }

    /** The value of a mapped pointer that was just removed is no longer read. */
    void set(long value) {
      if (mapped == null) {
        CELL.setVolatile(cells, MIDDLE, value);
      } else {
        PointerCells.set(mapped, key, value);
      }
    }

    long advance(long delta, long floor, long limit) {
      if (mapped != null) {
        return PointerCells.advance(mapped, key, delta, floor, limit);
      }
      while (true) {
        long pointer = (long) CELL.getVolatile(cells, MIDDLE);
        long next = PointerCells.after(pointer, delta, floor, limit);
        if (CELL.compareAndSet(cells, MIDDLE, pointer, next)) {
          return Math.max(pointer, floor);
        }
        Thread.onSpinWait();
      }
    }
  }
}
