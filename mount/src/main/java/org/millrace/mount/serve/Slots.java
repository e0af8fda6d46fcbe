package org.millrace.mount.serve;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.mount.system.Errno;

/**
 * What is open, by the numbers that the kernel knows it by. Finding takes no lock and allocates
 * nothing.
 *
 * <p>Safe for use by several threads.
 */
final class Slots<T> {

  private static final int FIRST_SIZE = 64;

  // Guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private int[] free = new int[FIRST_SIZE];
  private int freeCount;
  private int used;

  // Replaced and changed with the lock held, read without.
  private volatile AtomicReferenceArray<@Nullable T> slots = new AtomicReferenceArray<>(FIRST_SIZE);

  /** Keeps a value; returns its number, which is not 0. */
  long add(T value) {
    lock.lock();
    try {
      int index = freeCount > 0 ? free[--freeCount] : used++;
      if (index == slots.length()) {
        grow();
      }
      slots.set(index, value);
      return index + 1L;
    } finally {
      lock.unlock();
    }
  }

  /** The value of a number. */
  T get(long number) throws Refusal {
    AtomicReferenceArray<@Nullable T> now = slots;
    T value = number > 0 && number <= now.length() ? now.get((int) number - 1) : null;
    if (value == null) {
      throw new Refusal(Errno.EBADF);
    }
    return value;
  }

  /** Takes a value out. */
  T remove(long number) throws Refusal {
    lock.lock();
    try {
      T value = get(number);
      slots.set((int) number - 1, null);
      if (freeCount == free.length) {
        free = Arrays.copyOf(free, freeCount * 2);
      }
      free[freeCount++] = (int) number - 1;
      return value;
    } finally {
      lock.unlock();
    }
  }

  /** Shows every value. */
  void forEach(Consumer<T> visitor) {
    AtomicReferenceArray<@Nullable T> now = slots;
    for (int i = 0; i < now.length(); i++) {
      T value = now.get(i);
      if (value != null) {
        visitor.accept(value);
      }
    }
  }

  private void grow() {
    AtomicReferenceArray<@Nullable T> larger = new AtomicReferenceArray<>(slots.length() * 2);
    for (int i = 0; i < slots.length(); i++) {
      larger.set(i, slots.get(i));
    }
    slots = larger;
  }
}
