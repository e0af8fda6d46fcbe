package org.millrace.node;

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
 * What went wrong at a node since it started, for its report and its log. Each kind is counted, and
 * logged at most once a second: what comes in between is counted in the next line.
 *
 * <p>Safe for use by several threads.
 */
final class Troubles {

  /** The kinds, as counters name them: {@code trouble.<name>} and when the last was. */
  enum Kind {
    DISK("disk"),
    CORRUPT("corrupt"),
    FULL("full"),
    REFUSED("refused"),
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
  }

  // constant after construction
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Kind, Of> kinds = new EnumMap<>(Kind.class);

  @GuardedBy("lock")
  private final List<Consumer<String>> logs = new ArrayList<>();

  Troubles(Env env) {
    this.env = env;
  }

  /** From now on {@code log} is told. */
  void tell(Consumer<String> log) {
    lock.lock();
    try {
      logs.add(log);
    } finally {
      lock.unlock();
    }
  }

  /** A failure of the disk, if it is one. */
  void onFailure(MillraceException e) {
    ErrorCode code = e.code();
    if (code == ErrorCode.DISK) {
      add(Kind.DISK, String.valueOf(e.getMessage()));
    } else if (code == ErrorCode.CORRUPT) {
      add(Kind.CORRUPT, String.valueOf(e.getMessage()));
    } else if (code == ErrorCode.DISK_FULL) {
      add(Kind.FULL, String.valueOf(e.getMessage()));
    }
  }

  void add(Kind kind, String what) {
    List<Consumer<String>> told = List.of();
    long more;
    lock.lock();
    try {
      Of of = kinds.computeIfAbsent(kind, _ -> new Of());
      long now = env.nanoTime();
      more = of.untold;
      of.count++;
      of.untold++;
      of.lastNanos = now;
      if (of.count == 1 || now - of.toldNanos >= QUIET_NANOS) {
        of.toldNanos = now;
        of.untold = 0;
        told = List.copyOf(logs);
      }
    } finally {
      lock.unlock();
    }
    String line = line(kind, what, more);
    told.forEach(log -> log.accept(line));
  }

  private static String line(Kind kind, String what, long more) {
    String begin =
        switch (kind) {
          case REFUSED, EXPIRED -> "audit: ";
          case DISK, CORRUPT, FULL -> "trouble: ";
        };
    return begin + what + (more == 0 ? "" : " (and " + more + " more before it)");
  }

  /** Adds what there was to a node's report. */
  void addTo(Map<String, Long> counters) {
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
