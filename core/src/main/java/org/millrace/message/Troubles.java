package org.millrace.message;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * What went wrong at a server since it started, for its report and its log. Each kind is counted,
 * and logged at most once a second: what comes in between is counted in the next line. What comes
 * before there is a log is told to the first one.
 *
 * <p>Safe for use by several threads.
 */
public final class Troubles {

  /** The kinds, as counters name them: {@code trouble.<name>} and when the last was. */
  public enum Kind {
    /** The disk failed. */
    DISK("disk"),
    /** What the disk holds is damaged. */
    CORRUPT("corrupt"),
    /** What was damaged could be made whole again. */
    REPAIRED("repaired"),
    /** The disk is full. */
    FULL("full"),
    /** A clock cannot be right. */
    CLOCK("clock"),
    /** Somebody may not do what he asked for. */
    REFUSED("refused"),
    /** Somebody might have done it earlier. */
    EXPIRED("expired");

    final String counter;

    Kind(String counter) {
      this.counter = counter;
    }
  }

  private static final long QUIET_NANOS = 1_000_000_000L;

  /** What is known of one kind; guarded by the lock of its owner. */
  private static final class Of {
    long count;
    long untold;
    long lastNanos;
    long toldNanos;
    String unheard = ""; // while there is no log
  }

  // constant after construction
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Kind, Of> kinds = new EnumMap<>(Kind.class);

  @GuardedBy("lock")
  private final List<Consumer<String>> logs = new ArrayList<>();

  /** None yet. */
  public Troubles(Env env) {
    this.env = env;
  }

  /** From now on {@code log} is told. */
  public void tell(Consumer<String> log) {
    List<String> unheard = new ArrayList<>();
    lock.lock();
    try {
      logs.add(log);
      for (Of of : kinds.values()) {
        if (!of.unheard.isEmpty()) {
          unheard.add(of.unheard);
          of.unheard = "";
        }
      }
    } finally {
      lock.unlock();
    }
    unheard.forEach(log);
  }

  /** A failure of the disk, if it is one. */
  public void onFailure(MillraceException e) {
    ErrorCode code = e.code();
    if (code == ErrorCode.DISK) {
      add(Kind.DISK, String.valueOf(e.getMessage()));
    } else if (code == ErrorCode.CORRUPT) {
      add(Kind.CORRUPT, String.valueOf(e.getMessage()));
    } else if (code == ErrorCode.DISK_FULL) {
      add(Kind.FULL, String.valueOf(e.getMessage()));
    }
  }

  /** Something happened. */
  public void add(Kind kind, String what) {
    List<Consumer<String>> told = List.of();
    String line;
    lock.lock();
    try {
      Of of = kinds.computeIfAbsent(kind, _ -> new Of());
      long now = env.nanoTime();
      line = line(kind, what, of.untold);
      of.count++;
      of.untold++;
      of.lastNanos = now;
      if (of.count == 1 || now - of.toldNanos >= QUIET_NANOS) {
        of.toldNanos = now;
        of.untold = 0;
        told = List.copyOf(logs);
        of.unheard = logs.isEmpty() ? line : "";
      }
    } finally {
      lock.unlock();
    }
    told.forEach(log -> log.accept(line));
  }

  private static String line(Kind kind, String what, long more) {
    String begin =
        switch (kind) {
          case REFUSED, EXPIRED -> "audit: ";
          case DISK, CORRUPT, REPAIRED, FULL, CLOCK -> "trouble: ";
        };
    return begin + what + (more == 0 ? "" : " (and " + more + " more before it)");
  }

  /** Adds what there was to a report. */
  public void addTo(Map<String, Long> counters) {
    lock.lock();
    try {
      long now = env.nanoTime();
      kinds.forEach(
          (kind, of) -> {
            counters.put("trouble." + kind.counter, of.count);
            counters.put(
                "trouble." + kind.counter + ".agoMillis", (now - of.lastNanos) / 1_000_000);
          });
    } finally {
      lock.unlock();
    }
  }
}
