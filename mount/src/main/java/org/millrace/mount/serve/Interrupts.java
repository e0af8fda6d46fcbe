package org.millrace.mount.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Requests that wait and may be interrupted. An interrupt can be read before the request that it is
 * about, so the latest of unknown requests are kept for a while.
 *
 * <p>Safe for use by several threads.
 */
final class Interrupts {

  private static final int KEPT = 256;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Set<Long> waiting = new HashSet<>();

  @GuardedBy("lock")
  private final LinkedHashSet<Long> interrupted = new LinkedHashSet<>();

  /** A request begins to wait. */
  void begin(long unique) {
    lock.lock();
    try {
      waiting.add(unique);
    } finally {
      lock.unlock();
    }
  }

  /** A request does not wait any more. */
  void end(long unique) {
    lock.lock();
    try {
      waiting.remove(unique);
      interrupted.remove(unique);
    } finally {
      lock.unlock();
    }
  }

  /** A request is to end. */
  void interrupt(long unique) {
    lock.lock();
    try {
      interrupted.add(unique);
      if (interrupted.size() > KEPT) {
        forgetOldest();
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void forgetOldest() {
    for (long old : interrupted) {
      if (!waiting.contains(old)) {
        interrupted.remove(old);
        return;
      }
    }
  }

  boolean isInterrupted(long unique) {
    lock.lock();
    try {
      return interrupted.contains(unique);
    } finally {
      lock.unlock();
    }
  }
}
