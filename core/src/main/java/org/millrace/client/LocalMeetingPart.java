package org.millrace.client;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.env.Env;
import org.millrace.env.Parker;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.protocol.CollectiveId;
import org.millrace.transfer.ReceiveBuffer;

/**
 * One rank's part in a collective call for which the ranks of one JVM gather. The rank's thread
 * waits while the last rank to arrive carries out all parts. So no thread touches the rank's memory
 * after the call, and a failure of one part reaches all ranks without another meeting.
 *
 * <p>How a wait ends: {@code outcome} is set before the waiting thread's permit is given, and read
 * after it was taken; a permit that comes first is kept. The outcome is set by the thread that took
 * the gathering out of its state, once: the last rank to arrive, or the one that scattered it.
 */
final class LocalMeetingPart {

  /** What the ranks of a call may want in all: copying more takes longer than waking the ranks. */
  static final long MAX_BYTES = 64 << 10;

  private static final Object APART = new Object();
  private static final Object DONE = new Object();
  private static final Object BROKEN = new Object();

  // constant after construction
  private final CollectiveCalls calls;
  private final CollectiveCalls.Call call;
  private final Access access;
  private final ReceiveBuffer receiveBuffer;
  private final Parker place;

  // set before the outcome, by the same thread
  private long count;
  private @Nullable MillraceException own;

  // APART, DONE, BROKEN, or the error of all
  private volatile @Nullable Object outcome;

  LocalMeetingPart(CollectiveCalls calls, CollectiveCalls.Call call, Access access, Env env) {
    this.calls = calls;
    this.call = call;
    this.access = access;
    this.receiveBuffer = new ReceiveBuffer(access, call.memory()::shares);
    this.place = env.parker();
  }

  CollectiveCalls.Call call() {
    return call;
  }

  Access access() {
    return access;
  }

  /** Waits until the call was carried out, or all go on by themselves. */
  void await(Env env, long deadlineNanos, Runnable scatter) {
    long waitUntilNanos =
        Math.min(deadlineNanos, env.deadlineAfter(DeclaredWait.DECLARE_AFTER_NANOS));
    while (outcome == null) {
      if (!place.park(waitUntilNanos)) {
        scatter.run();
        waitUntilNanos = Env.NEVER; // ends: it is scattered, or the last works, with deadlines
      }
    }
  }

  /** All go on by themselves. */
  void letGo() {
    end(APART);
  }

  private void end(Object how) {
    outcome = how;
    place.unpark();
  }

  /** Whether the call was carried out, well or not. */
  boolean isDone() {
    return outcome != APART;
  }

  /** How many bytes this rank moved. */
  long result() throws MillraceException {
    if (outcome == BROKEN) { // by an error of the JVM, which the last rank throws
      throw new MillraceException(ErrorCode.RANK_FAILED, "the last rank to arrive has failed");
    }
    if (outcome instanceof MillraceException failure) {
      MillraceException reported = failure.again();
      if (own != null) {
        reported.addSuppressed(own); // where it happened is known on this rank only
      }
      throw reported;
    }
    return count;
  }

  /** All have arrived, this rank last: carries their parts out if that is the best way. */
  void carryOut(List<LocalMeetingPart> all, CollectiveId id, long deadlineNanos) {
    Planned planned = planned(all);
    Object how = planned == null ? APART : BROKEN;
    try {
      if (planned != null) {
        how = move(all, planned, id, deadlineNanos);
      }
    } finally {
      for (LocalMeetingPart one : all) {
        one.end(how);
      }
    }
  }

  private @Nullable Planned planned(List<LocalMeetingPart> all) {
    try {
      return calls.plans().planTogether(all);
    } catch (IOException | RuntimeException e) {
      return null; // nothing has moved: each rank comes by itself, and finds what is wrong
    }
  }

  /** Moves the bytes of all, in the order of their ranks, as ranks that take turns do. */
  private Object move(
      List<LocalMeetingPart> all, Planned planned, CollectiveId id, long deadlineNanos) {
    MillraceException failure = null;
    boolean exchanging = planned.plan() instanceof Plan.Exchanging; // others touch its memory
    for (LocalMeetingPart one : exchanging ? all : List.<LocalMeetingPart>of()) {
      one.calls.openReceiveBuffer(id, one.receiveBuffer);
    }
    try {
      for (int rank = 0; rank < all.size(); rank++) {
        LocalMeetingPart one = all.get(rank);
        one.count = planned.plan().request().accesses().get(rank).size();
        try {
          calls.checkNotLate(deadlineNanos);
          one.calls.run(planned, false, id, one.receiveBuffer, true, false);
        } catch (IOException | RuntimeException e) {
          MillraceException reported = one.calls.withContext(one.call, CollectiveCalls.wrap(e));
          one.own = reported;
          if (failure == null) {
            failure =
                MillraceException.of(reported.code(), rank, String.valueOf(reported.getMessage()))
                    .withDetail(reported.detail());
          }
        }
      }
    } finally {
      for (LocalMeetingPart one : exchanging ? all : List.<LocalMeetingPart>of()) {
        one.calls.closeReceiveBuffer(id);
      }
    }
    return Objects.requireNonNullElse(failure, DONE);
  }
}
