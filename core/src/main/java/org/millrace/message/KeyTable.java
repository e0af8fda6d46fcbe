package org.millrace.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The objects that one-sided operations of an endpoint find by key. A lookup takes no lock and
 * allocates nothing; adding and removing take a lock, and copy the table now and then.
 *
 * <p>Safe for use by several threads.
 *
 * @param <T> what is found
 */
public final class KeyTable<T> {

  /**
   * Open addressing with linear probing. A slot without a value is free. A key never changes once
   * its slot has a value, and is written before it; so a thread that sees the value sees its key. A
   * value that is removed becomes {@link #GONE}, until the table is copied.
   */
  private static final class Slots {
    final long[] keys;
    final @Nullable Object[] values;
    int used; // slots that are not free; of the thread that changes the table

    Slots(int capacity) {
      this.keys = new long[capacity];
      this.values = new Object[capacity];
    }

    /** The slot of the key, or the free one in which it would be. */
    int slotOf(long key) {
      int mask = keys.length - 1;
      int slot = (int) (key * 0x9E3779B97F4A7C15L >>> 40) & mask;
      while (value(slot) != null && keys[slot] != key) {
        slot = slot + 1 & mask;
      }
      return slot;
    }

    @Nullable Object value(int slot) {
      return VALUES.getAcquire(values, slot);
    }

    void set(int slot, long key, Object value) {
      if (values[slot] == null) {
        keys[slot] = key;
        used++;
      }
      VALUES.setRelease(values, slot, value);
    }
  }

  private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final Object GONE = new Object();
  private static final int MIN_SLOTS = 8;

  private final ReentrantLock lock = new ReentrantLock();
  private volatile Slots slots = new Slots(MIN_SLOTS);
  private int count; // guarded by lock

  /** What {@code key} names, or null. */
  @SuppressWarnings("unchecked") // only T is put in
  public @Nullable T get(long key) {
    Slots now = slots;
    Object value = now.value(now.slotOf(key));
    return value == GONE ? null : (T) value;
  }

  /** Lets {@code key} name {@code value} from now on. */
  public void put(long key, T value) {
    lock.lock();
    try {
      if (get(key) == null) {
        count++;
      }
      Slots now = slots;
      if (2 * (now.used + 1) > now.keys.length) {
        now = copy(_ -> false);
        slots = now;
      }
      now.set(now.slotOf(key), key, value);
    } finally {
      lock.unlock();
    }
  }

  /** What {@code key} names; {@code value} from now on, if it names nothing. */
  public T putIfAbsent(long key, T value) {
    lock.lock();
    try {
      T there = get(key);
      if (there != null) {
        return there;
      }
      put(key, value);
      return value;
    } finally {
      lock.unlock();
    }
  }

  /** Lets {@code key} name nothing. */
  public void remove(long key) {
    lock.lock();
    try {
      if (get(key) != null) {
        count--;
        Slots now = slots;
        now.set(now.slotOf(key), key, GONE);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets all keys name nothing whose values {@code gone} takes. */
  public void removeIf(Predicate<T> gone) {
    lock.lock();
    try {
      Slots kept = copy(gone);
      count = kept.used;
      slots = kept;
    } finally {
      lock.unlock();
    }
  }

  /** A table with room for another key, without what {@code gone} takes. */
  @SuppressWarnings("unchecked") // only T is put in
  private Slots copy(Predicate<T> gone) {
    int capacity = MIN_SLOTS;
    while (capacity < 3 * (count + 1)) { // else it would be copied again soon
      capacity *= 2;
    }
    Slots old = slots;
    Slots made = new Slots(capacity);
    for (int i = 0; i < old.keys.length; i++) {
      Object value = old.values[i];
      if (value != null && value != GONE && !gone.test((T) value)) {
        made.set(made.slotOf(old.keys[i]), old.keys[i], value);
      }
    }
    return made;
  }

  /** How many keys name something. */
  public int size() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Hands each value to {@code action}. */
  @SuppressWarnings("unchecked") // only T is put in
  public void forEach(Consumer<T> action) {
    Slots now = slots;
    for (int i = 0; i < now.keys.length; i++) {
      Object value = now.value(i);
      if (value != null && value != GONE) {
        action.accept((T) value);
      }
    }
  }
}
