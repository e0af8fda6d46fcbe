package org.millrace.client;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Span;
import org.millrace.error.MillraceException;
import org.millrace.plan.collective.Plan;
import org.millrace.transfer.JointTransfer;

/**
 * A collective call that ranks of one JVM carry out together, with all blocks in memory: the last
 * to arrive begins it, wakes as many others as there are processors, and each of them takes tasks
 * until none is left. Who ends the last task ends the call for all.
 *
 * <p>Safe for use by several threads.
 */
final class JointCall {

  /** Waking another rank takes as long as copying this. */
  private static final long HELP_BYTES = 64 << 10;

  // constant after construction
  private final List<LocalMeetingPart> all;
  private final Plan plan;
  private final JointTransfer transfer;
  private final int tasks;
  private final Span[] spans;
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger left;

  /** By rank. */
  private final AtomicReferenceArray<@Nullable RuntimeException> failed;

  private volatile boolean broken;

  /** Of these ranks, for a transfer that has all blocks. */
  JointCall(List<LocalMeetingPart> all, Plan plan, JointTransfer transfer) {
    this.all = all;
    this.plan = plan;
    this.transfer = transfer;
    this.tasks = transfer.tasks();
    this.left = new AtomicInteger(tasks);
    this.failed = new AtomicReferenceArray<>(all.size());
    this.spans = spans();
  }

  private Span[] spans() {
    Span first = all.getFirst().beginTransfer();
    if (!first.isWatched()) {
      return new Span[0];
    }
    Span[] begun = new Span[all.size()];
    begun[0] = first;
    for (int rank = 1; rank < begun.length; rank++) {
      begun[rank] = all.get(rank).beginTransfer();
    }
    return begun;
  }

  /** The last rank to arrive begins it, and has done its share when this returns. */
  void begin(Env env, int own) {
    if (tasks == 0) {
      end();
      return;
    }
    long worthIt = plan.request().size() / HELP_BYTES;
    long helpers =
        Math.min(Math.min(worthIt, tasks - 1), Math.min(env.processors(), all.size()) - 1);
    for (int i = 1; i <= helpers; i++) {
      all.get(Math.floorMod(own - i, all.size())).help(this);
    }
    work();
  }

  /** Takes tasks until none is left. */
  void work() {
    Error error = null;
    for (int task; (task = taken.getAndIncrement()) < tasks; ) {
      try {
        transfer.run(task, (e, rank) -> failed.compareAndSet(rank, null, e));
      } catch (Error e) { // of the JVM; others wait for what is left all the same
        broken = true;
        error = e;
      }
      if (left.decrementAndGet() == 0) {
        end();
      }
    }
    if (error != null) {
      throw error;
    }
  }

  private void end() {
    Object how = LocalMeetingPart.BROKEN;
    try {
      MillraceException failure = failure();
      transfer.end(failure == null && !broken);
      if (!broken) {
        how = failure == null ? LocalMeetingPart.DONE : failure;
      }
      for (int rank = 0; rank < spans.length; rank++) {
        all.get(rank).endTransfer(spans[rank], plan);
      }
    } finally {
      for (LocalMeetingPart one : all) {
        one.end(how);
      }
    }
  }

  /** That of the lowest rank; each hears of its own beside. */
  private @Nullable MillraceException failure() {
    MillraceException first = null;
    for (int rank = 0; rank < all.size(); rank++) {
      LocalMeetingPart one = all.get(rank);
      one.moved(plan.request().accesses().get(rank).size());
      Exception e = failed.get(rank);
      if (e != null) {
        MillraceException own = one.failed(e);
        first = first == null ? LocalMeetingPart.ofRank(rank, own) : first;
      }
    }
    return first;
  }
}
