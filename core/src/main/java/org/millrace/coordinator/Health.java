package org.millrace.coordinator;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskSpace;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Troubles;
import org.millrace.message.Troubles.Kind;

/**
 * What is wrong with the coordinator itself: its journal, its disk, its clock, and whom its process
 * refused. As counters, which travel as a setting of the cluster: names as those of a node's report
 * are.
 *
 * <p>The journal's thread looks at disk and clock, because looking may take as long as the disk
 * does. Those who ask get what was seen last, and have it look again.
 *
 * <p>Safe for use by several threads.
 */
public final class Health {

  /** The setting: {@code name=number,...}. */
  public static final String SETTING = "coordinator-health";

  /** Clocks that differ by less are not worth a word. */
  private static final long WORTH_MILLIS = 60_000;

  private static final long LOOK_NANOS = 1_000_000_000L;

  // constant after construction
  private final Env env;
  private final Troubles troubles;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable Disk disk;

  @GuardedBy("lock")
  private DiskSpace space = DiskSpace.UNKNOWN;

  @GuardedBy("lock")
  private long lookedNanos;

  @GuardedBy("lock")
  private long wallMillis;

  @GuardedBy("lock")
  private long newestMillis;

  Health(Env env) {
    this.env = env;
    this.troubles = new Troubles(env);
    this.lookedNanos = env.nanoTime();
    this.wallMillis = env.wallMillis();
  }

  /** What went wrong, to be added to. */
  Troubles troubles() {
    return troubles;
  }

  /** From now on the room of {@code place} is watched, too. */
  void watch(Disk place) {
    lock.lock();
    try {
      disk = place;
    } finally {
      lock.unlock();
    }
    look();
  }

  /** When the newest name was made: a clock that is before that was set back. */
  void onRecovered(Names names) {
    long newest = 0;
    for (NameEntry entry : names.files()) {
      newest = Math.max(newest, entry.stamps.createdMillis());
    }
    long behind = newest - env.wallMillis();
    lock.lock();
    try {
      newestMillis = newest;
    } finally {
      lock.unlock();
    }
    if (behind >= WORTH_MILLIS) {
      troubles.add(
          Kind.CLOCK,
          "this host's clock is behind: the newest file was made at %s; set it, for example by NTP"
              .formatted(Instant.ofEpochMilli(newest)));
    }
  }

  /** Whether anybody cares. */
  boolean isWatched() {
    lock.lock();
    try {
      return disk != null;
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is time to look again. */
  boolean isOld() {
    lock.lock();
    try {
      return disk != null && env.nanoTime() - lookedNanos >= LOOK_NANOS;
    } finally {
      lock.unlock();
    }
  }

  /** Looks at the disk and at the clock: not for a thread that others wait for. */
  void look() {
    Disk place;
    long set;
    lock.lock();
    try {
      place = disk;
      long now = env.nanoTime();
      long wall = env.wallMillis();
      set = wall - wallMillis - (now - lookedNanos) / 1_000_000;
      lookedNanos = now;
      wallMillis = wall;
    } finally {
      lock.unlock();
    }
    if (Math.abs(set) >= WORTH_MILLIS) {
      troubles.add(
          Kind.CLOCK,
          "this host's clock was set %s by %s s, or the host was suspended"
              .formatted(set > 0 ? "ahead" : "back", Math.abs(set) / 1000));
    }
    if (place != null) {
      look(place);
    }
  }

  private void look(Disk place) {
    try {
      DiskSpace seen = place.space();
      lock.lock();
      try {
        space = seen;
      } finally {
        lock.unlock();
      }
    } catch (IOException e) {
      troubles.onFailure(MillraceException.wrap(ErrorCode.DISK, e));
    }
  }

  /**
   * The counters as a setting.
   *
   * @param busyNanos for how long the journal has been writing what it writes now
   */
  String text(long busyNanos) {
    Map<String, Long> counters = new LinkedHashMap<>();
    troubles.addTo(counters);
    counters.put("journalBusyMillis", busyNanos / 1_000_000);
    lock.lock();
    try {
      counters.put("diskFree", space.freeBytes());
      counters.put("diskTotal", space.totalBytes());
      counters.put("clockBehindMillis", Math.max(0, newestMillis - env.wallMillis()));
    } finally {
      lock.unlock();
    }
    return counters.entrySet().stream()
        .map(one -> one.getKey() + "=" + one.getValue())
        .collect(Collectors.joining(","));
  }

  /** The counters in a cluster's settings; none if there are none. */
  public static Map<String, Long> of(Map<String, String> settings) {
    Map<String, Long> counters = new LinkedHashMap<>();
    for (String one : settings.getOrDefault(SETTING, "").split(",", -1)) {
      int at = one.indexOf('=');
      if (at > 0) {
        counters.put(one.substring(0, at), Long.parseLong(one.substring(at + 1)));
      }
    }
    return counters;
  }
}
