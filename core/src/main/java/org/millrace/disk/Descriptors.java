package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the descriptors that disks hold far below what the system allows. A disk's file may be put
 * to rest: what it wrote is forced, its descriptors are closed, and the next access opens it again.
 * When there are too many, those at rest first are the ones unused for longest (the clock
 * algorithm, as files are used far more often than opened).
 *
 * <p>Safe for use by several threads. It waits for a disk only on a thread that opens a file.
 */
final class Descriptors {

  /** What can be put to rest. */
  interface Sleeper {

    /** Whether it was used since the last question. */
    boolean wasUsed();

    /**
     * Closes its descriptors if nobody uses it now, and returns how many that were. What it wrote
     * is durable then; if that failed, it says so at its next force.
     */
    int tryRest();
  }

  /** What opens a file. */
  interface Opening<T> {
    T open() throws IOException;
  }

  /** The descriptors of this process: the system counts them for all disks of it together. */
  static final Descriptors OF_PROCESS = new Descriptors(share(systemLimit()));

  private static final long UNLIMITED = 1 << 20;
  private static final int LEAST = 8;
  private static final int TRIES = 8;

  // Constant after construction.
  private final int limit;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private final LinkedHashMap<Sleeper, Integer> awake = new LinkedHashMap<>(); // how many it holds

  @GuardedBy("lock")
  private int count;

  Descriptors(int limit) {
    this.limit = limit;
  }

  private static long systemLimit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : UNLIMITED;
  }

  /**
   * How many descriptors disks may hold where a process may have {@code systemLimit}: a half. The
   * other half is for connections, classes, and what the program itself opens.
   */
  static int share(long systemLimit) {
    return (int) Math.clamp((systemLimit <= 0 ? UNLIMITED : systemLimit) / 2, LEAST, UNLIMITED);
  }

  /**
   * Opens a file of {@code owner}. Others are put to rest where that is one too many, or where the
   * system says so: something else in this process may have taken the rest.
   */
  <T> T open(Sleeper owner, Opening<T> opening) throws IOException {
    T opened = withRoom(owner, opening);
    add(owner);
    return opened;
  }

  /** As {@link #open}, for a descriptor that is closed again at once. */
  <T> T briefly(Opening<T> opening) throws IOException {
    return withRoom(null, opening);
  }

  private <T> T withRoom(@Nullable Sleeper owner, Opening<T> opening) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        return opening.open();
      } catch (IOException e) {
        if (!isExhausted(e) || tries == TRIES || shed(owner, held() / 2) == 0) {
          throw e;
        }
      }
    }
  }

  /** Whether the system refused because too many files are open. */
  static boolean isExhausted(Throwable e) {
    return String.valueOf(e.getMessage()).contains("Too many open files");
  }

  private void add(Sleeper owner) {
    boolean tooMany;
    lock.lock();
    try {
      awake.merge(owner, 1, Integer::sum);
      tooMany = ++count > limit;
    } finally {
      lock.unlock();
    }
    if (tooMany) {
      shed(owner, limit - limit / 8); // some at once: not one for each file that is opened
    }
  }

  /** {@code owner} has closed so many. */
  void remove(Sleeper owner, int closed) {
    lock.lock();
    try {
      count -= closed;
      awake.computeIfPresent(owner, (_, held) -> held > closed ? held - closed : null);
    } finally {
      lock.unlock();
    }
  }

  /** How many descriptors disks hold now. */
  int held() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Puts files to rest until {@code target} descriptors are held; returns how many it closed. */
  private int shed(@Nullable Sleeper opener, int target) {
    int closed = 0;
    for (Sleeper one : candidates()) {
      if (held() <= target) {
        break;
      }
      if (one != opener) {
        int rested = one.tryRest();
        remove(one, rested);
        closed += rested;
      }
    }
    return closed;
  }

  /** All that are awake, those unused for longest first. */
  private List<Sleeper> candidates() {
    List<Sleeper> idle = new ArrayList<>();
    List<Sleeper> used = new ArrayList<>();
    lock.lock();
    try {
      for (Sleeper one : awake.keySet()) {
        (one.wasUsed() ? used : idle).add(one);
      }
      for (Sleeper one : used) {
        awake.putLast(one, awake.get(one));
      }
    } finally {
      lock.unlock();
    }
    idle.addAll(used);
    return idle;
  }
}
