package org.millrace.transfer;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
import org.millrace.plan.collective.StrandSpans;
import org.millrace.transfer.JointTransfer.Joint;

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

  /** More blocks are not few. */
  private static final int MAX_BLOCKS = 4096;

  /** A plan, and the blocks that it is about as soon as somebody has asked; empty if too many. */
  private record Kept(
      Question question, Planned plan, AtomicReference<@Nullable Optional<Joint>> joint) {}

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
    return keep(question).plan;
  }

  /** As {@link #plan}, with the blocks that it is about, if they are few. */
  public Optional<Joint> joint(Request request, Hints hints, Reach reach) {
    Kept one = keep(new Question(request, hints, costs.get().withReach(reach), true));
    Optional<Joint> known = one.joint.get();
    if (known == null) {
      StrandSpans spans = StrandSpans.of(one.plan.plan().request(), MAX_BLOCKS);
      known = spans == null ? Optional.empty() : Optional.of(new Joint(one.plan, spans));
      one.joint.set(known);
    }
    return known;
  }

  private Kept keep(Question question) {
    Kept found = find(question);
    return found == null ? make(question) : found;
  }

  private @Nullable Kept find(Question question) {
    for (SoftReference<Kept> soft : kept) {
      Kept one = soft.get();
      if (one != null && one.question.equals(question)) {
        return one;
      }
    }
    return null;
  }

  private Kept make(Question question) {
    lock.lock();
    try {
      Kept found = find(question); // another rank may have made it meanwhile
      if (found != null) {
        return found;
      }
      Planned plan =
          Planner.decide(question.request, question.hints, question.costs, question.reachable);
      Kept fresh = new Kept(question, plan, new AtomicReference<>());
      List<SoftReference<Kept>> now = new ArrayList<>(KEPT);
      now.add(new SoftReference<>(fresh));
      now.addAll(kept.subList(0, Math.min(kept.size(), KEPT - 1)));
      kept = List.copyOf(now);
      made.incrementAndGet();
      return fresh;
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
