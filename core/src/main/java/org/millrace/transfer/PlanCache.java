package org.millrace.transfer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.plan.Hints;
import org.millrace.plan.Planned;
import org.millrace.plan.Planner;
import org.millrace.plan.Request;

/**
 * The last plans of an open file: programs ask for the same step after step. Few are kept, and
 * compared one by one, since views are mostly the same objects.
 *
 * <p>Safe for use by several threads: one lock.
 */
public final class PlanCache {

  private static final int KEPT = 8;

  private record Kept(Request request, Hints hints, boolean reachable, Planned plan) {}

  // constant after construction
  private final Transfers transfers;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Deque<Kept> kept = new ArrayDeque<>();
  private long made;

  /** None yet. */
  public PlanCache(Transfers transfers) {
    this.transfers = transfers;
  }

  /** The plan of a request: a kept one, or a new one. */
  public Planned plan(Request request, Hints hints, boolean reachable) {
    lock.lock();
    try {
      for (Kept one : kept) {
        if (one.reachable == reachable && one.hints.equals(hints) && one.request.equals(request)) {
          return one.plan;
        }
      }
      Planned plan = transfers.plans().plan(request, hints, transfers.costs().get(), reachable);
      made++;
      if (kept.size() == KEPT) {
        kept.removeLast();
      }
      kept.addFirst(new Kept(request, hints, reachable, plan));
      return plan;
    } finally {
      lock.unlock();
    }
  }

  /** The plan of a request, with what every strategy would cost. Not kept. */
  public Planned explain(Request request, Hints hints, boolean reachable) {
    return Planner.plan(request, hints, transfers.costs().get(), reachable);
  }

  /** How many plans were made since the file was opened. */
  public long made() {
    lock.lock();
    try {
      return made;
    } finally {
      lock.unlock();
    }
  }
}
