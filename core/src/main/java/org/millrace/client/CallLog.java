package org.millrace.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.protocol.CallFacts;
import org.millrace.protocol.CoordinatorRequest;

/**
 * The last collective calls of one rank, and how many there were by strategy, until {@link
 * CallReports} tells the coordinator. Of more calls than a report can have the oldest are dropped,
 * but counted.
 *
 * <p>Safe for use by several threads: one lock, held for a few steps.
 */
final class CallLog {

  // constant after construction
  private final Env env;
  private final CallReports reports;
  private final long group;
  private final int rank;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final @Nullable CallNote[] last = new CallNote[CallFacts.MAX_CALLS];
  private final Map<String, Long> counts = new HashMap<>();
  private long added; // since the last report

  CallLog(Env env, CallReports reports, long group, int rank) {
    this.env = env;
    this.reports = reports;
    this.group = group;
    this.rank = rank;
  }

  Env env() {
    return env;
  }

  /** Whether the coordinator is told of this rank's calls. */
  boolean isTold() {
    return rank < CallFacts.MAX_RANKS;
  }

  /** A call has ended. */
  void add(CallNote note) {
    boolean first;
    lock.lock();
    try {
      first = added == 0;
      last[(int) (added++ % last.length)] = note;
      if (!note.strategy().isEmpty()) {
        counts.merge(note.strategy(), 1L, Long::sum);
      }
    } finally {
      lock.unlock();
    }
    if (first) {
      reports.onNew(this);
    }
  }

  /** What there is to tell, which is forgotten here. */
  Optional<CoordinatorRequest> take() {
    lock.lock();
    try {
      if (added == 0) {
        return Optional.empty();
      }
      List<CallFacts> calls = new ArrayList<>();
      for (long i = Math.max(0, added - last.length); i < added; i++) {
        CallNote note = last[(int) (i % last.length)];
        if (note != null) {
          calls.add(note.facts());
        }
      }
      var report =
          new CoordinatorRequest.ReportCalls(
              group, rank, env.nanoTime(), Map.copyOf(counts), List.copyOf(calls));
      added = 0;
      counts.clear();
      return Optional.of(report);
    } finally {
      lock.unlock();
    }
  }
}
