package org.millrace.transfer;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.Digest;
import org.millrace.access.group.Reach;
import org.millrace.plan.Hints;
import org.millrace.plan.collective.Costs;
import org.millrace.plan.collective.DigestPlanner;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Planner;
import org.millrace.plan.collective.Request;

/**
 * A cache of the last plans of all ranks of a process: programs repeat the same requests, and the
 * ranks of a call make the same plan. The first rank makes it, and the others wait for it. Few
 * plans are kept, and compared one by one, since views are mostly the same objects. They outlive
 * their files, but are dropped when memory is short.
 *
 * <p>Safe for use by several threads: a thread that finds a plan takes no lock, one that misses it
 * does.
 */
public final class Plans {

  private static final int KEPT = 16;

  private record Question(Request request, Hints hints, Costs costs, boolean reachable) {}

  private record Kept(Question question, Planned plan) {}

  // constant after construction
  private final Supplier<Costs> costs;
  private final ReentrantLock lock = new ReentrantLock();

  // written under lock; the newest first
  private volatile List<SoftReference<Kept>> kept = List.of();
  private final AtomicLong made = new AtomicLong();

  /** None yet; {@code costs} is asked whenever a plan is. */
  public Plans(Supplier<Costs> costs) {
    this.costs = costs;
  }

  /** The plan of a request: a kept one, or a new one. */
  public Planned plan(Request request, Hints hints, boolean reachable, Reach reach) {
    var question = new Question(request, hints, costs.get().withReach(reach), reachable);
    Planned found = find(question);
    return found == null ? make(question) : found;
  }

  private @Nullable Planned find(Question question) {
    for (SoftReference<Kept> soft : kept) {
      Kept one = soft.get();
      if (one != null && one.question.equals(question)) {
        return one.plan;
      }
    }
    return null;
  }

  private Planned make(Question question) {
    lock.lock();
    try {
      Planned found = find(question); // another rank may have made it meanwhile
      if (found != null) {
        return found;
      }
      Planned plan =
          Planner.decide(question.request, question.hints, question.costs, question.reachable);
      List<SoftReference<Kept>> now = new ArrayList<>(KEPT);
      now.add(new SoftReference<>(new Kept(question, plan)));
      now.addAll(kept.subList(0, Math.min(kept.size(), KEPT - 1)));
      kept = List.copyOf(now);
      made.incrementAndGet();
      return plan;
    } finally {
      lock.unlock();
    }
  }

  /** A rank's plan of a request of which it knows a digest and its own part. Not kept. */
  public Planned planOwn(Request own, Digest digest, Hints hints, boolean reachable, Reach reach) {
    return DigestPlanner.plan(own, digest, hints, costs.get().withReach(reach), reachable);
  }

  /** As {@link #planOwn}, with what strategies would cost. */
  public Planned explainOwn(
      Request own, Digest digest, Hints hints, boolean reachable, Reach reach) {
    return DigestPlanner.explain(own, digest, hints, costs.get().withReach(reach), reachable);
  }

  /** The plan of a request, with what every strategy would cost. Not kept. */
  public Planned explain(Request request, Hints hints, boolean reachable, Reach reach) {
    return Planner.plan(request, hints, costs.get().withReach(reach), reachable);
  }

  /** How many plans were made and kept. */
  public long made() {
    return made.get();
  }
}
