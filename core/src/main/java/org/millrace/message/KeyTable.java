package org.millrace.message;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The objects that one-sided operations of an endpoint find by key. A lookup takes no lock and
 * allocates nothing; adding and removing copy the table, which happens only when something is
 * opened or closed.
 *
 * <p>Safe for use by several threads.
 *
 * @param <T> what is found
 */
public final class KeyTable<T> {

  /**
   * Open addressing with linear probing; a slot without a value is free. Never changed once
   * published.
   */
  private static final class Slots {
    final long[] keys;
    final @Nullable Object[] values;
    int count;

    Slots(int capacity, int count) {
      this.keys = new long[capacity];
      this.values = new Object[capacity];
      this.count = count;
    }

    int slotOf(long key) {
      int mask = keys.length - 1;
      int slot = (int) (key * 0x9E3779B97F4A7C15L >>> 40) & mask;
      while (values[slot] != null && keys[slot] != key) {
        slot = slot + 1 & mask;
      }
      return slot;
    }
  }

  private static final int MIN_SLOTS = 8;

  private final ReentrantLock lock = new ReentrantLock();
  private volatile Slots slots = new Slots(MIN_SLOTS, 0);

  /** What {@code key} names, or null. */
  @SuppressWarnings("unchecked") // only T is put in
  public @Nullable T get(long key) {
    Slots now = slots;
    return (T) now.values[now.slotOf(key)];
  }

  /** Lets {@code key} name {@code value} from now on. */
  public void put(long key, T value) {
    rebuild(key, value);
  }

  /** What {@code key} names; {@code value} from now on, if it names nothing. */
  public T putIfAbsent(long key, T value) {
    lock.lock();
    try {
      T there = get(key);
      if (there != null) {
        return there;
      }
      rebuild(key, value);
      return value;
    } finally {
      lock.unlock();
    }
  }

  /** Lets {@code key} name nothing. */
  public void remove(long key) {
    rebuild(key, null);
  }

  /** Lets all keys name nothing whose values {@code gone} takes. */
  @SuppressWarnings("unchecked") // only T is put in
  public void removeIf(Predicate<T> gone) {
    lock.lock();
    try {
      Slots old = slots;
      Slots kept = new Slots(old.keys.length, 0);
      for (int i = 0; i < old.keys.length; i++) {
        Object value = old.values[i];
        if (value != null && !gone.test((T) value)) {
          place(kept, old.keys[i], value);
          kept.count++;
        }
      }
      slots = kept;
    } finally {
      lock.unlock();
    }
  }

  /** How many keys name something. */
  public int size() {
    return slots.count;
  }

  /** Hands each value to {@code action}. */
  @SuppressWarnings("unchecked") // only T is put in
  public void forEach(Consumer<T> action) {
    for (Object value : slots.values) {
      if (value != null) {
        action.accept((T) value);
      }
    }
  }

  private void rebuild(long key, @Nullable T value) {
    lock.lock();
    try {
      Slots old = slots;
      int count =
          old.count - (old.values[old.slotOf(key)] == null ? 0 : 1) + (value == null ? 0 : 1);
      int capacity = MIN_SLOTS;
      while (capacity < 2 * count) {
        capacity *= 2;
      }
      Slots made = new Slots(capacity, count);
      for (int i = 0; i < old.keys.length; i++) {
        Object kept = old.values[i];
        if (kept != null && old.keys[i] != key) {
          place(made, old.keys[i], kept);
        }
      }
      if (value != null) {
        place(made, key, value);
      }
      slots = made;
    } finally {
      lock.unlock();
    }
  }

  private static void place(Slots table, long key, Object value) {
    int slot = table.slotOf(key);
    table.keys[slot] = key;
    table.values[slot] = value;
  }
}
