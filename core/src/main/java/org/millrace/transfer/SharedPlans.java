package org.millrace.transfer;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.plan.Costs;
import org.millrace.plan.Hints;
import org.millrace.plan.Planned;
import org.millrace.plan.Planner;
import org.millrace.plan.Request;

/**
 * The last plans of all ranks of a JVM. Ranks of one call make the same plan of the same request;
 * where they are in one JVM the first makes it and the others wait for it. They outlive their
 * files, but not a shortage of memory.
 *
 * <p>Safe for use by several threads: one lock.
 */
public final class SharedPlans {

  private static final int KEPT = 8;

  private record Kept(Request request, Hints hints, Costs costs, boolean reachable, Planned plan) {}

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Deque<SoftReference<Kept>> kept = new ArrayDeque<>();

  /** None yet. */
  public SharedPlans() {}

  Planned plan(Request request, Hints hints, Costs costs, boolean reachable) {
    lock.lock();
    try {
      for (SoftReference<Kept> soft : kept) {
        Kept one = soft.get();
        if (one != null
            && one.reachable == reachable
            && one.hints.equals(hints)
            && one.costs.equals(costs)
            && one.request.equals(request)) {
          return one.plan;
        }
      }
      Planned plan = Planner.decide(request, hints, costs, reachable);
      if (kept.size() == KEPT) {
        kept.removeLast();
      }
      kept.addFirst(new SoftReference<>(new Kept(request, hints, costs, reachable, plan)));
      return plan;
    } finally {
      lock.unlock();
    }
  }
}
