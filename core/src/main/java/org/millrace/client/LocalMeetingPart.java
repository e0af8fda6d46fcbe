package org.millrace.client;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.env.Env;
import org.millrace.env.Parker;
import org.millrace.env.Span;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.protocol.CollectiveId;
import org.millrace.transfer.ReceiveBuffer;

/**
 * One rank's part in a collective call for which the ranks of one JVM gather. The rank's thread
 * waits while the last rank to arrive carries out all parts, or helps with that. So no thread
 * touches the rank's memory after the call, and a failure of one part reaches all ranks without
 * another meeting.
 *
 * <p>How a wait ends: {@code outcome} is set before the waiting thread's permit is given, and read
 * after it was taken; a permit that comes first is kept. The outcome is set by the thread that took
 * the gathering out of its state, once: the last rank to arrive, the one that scattered it, or the
 * one that ended the last task of a {@link JointCall}. A permit may also come with such a call to
 * help with, which is set before it.
 */
final class LocalMeetingPart {

  /**
   * What the ranks of a call may want in all if the last to arrive carries it out alone: copying
   * more takes longer than waking the ranks.
   */
  static final long MAX_BYTES = 64 << 10;

  /** What they may want if others help: meanwhile nobody else writes to their blocks. */
  static final long MAX_JOINT_BYTES = 32 << 20;

  static final Object DONE = new Object();
  static final Object BROKEN = new Object();
  private static final Object APART = new Object();

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

  /** What this rank is asked to help with, set before its permit is given. */
  private volatile @Nullable JointCall joint;

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
      JointCall asked = joint;
      if (asked != null) {
        joint = null;
        asked.work();
      }
    }
  }

  /** Asks this rank, which waits, to help. */
  void help(JointCall with) {
    joint = with;
    place.unpark();
  }

  /** All go on by themselves. */
  void letGo() {
    end(APART);
  }

  /** The call is over for this rank. */
  void end(Object how) {
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

  /** Notes how many bytes this rank moves. */
  void moved(long bytes) {
    count = bytes;
  }

  /** Notes what went wrong for this rank, and returns it as the rank reports it. */
  MillraceException failed(Exception e) {
    MillraceException reported = calls.withContext(call, CollectiveCalls.wrap(e));
    own = reported;
    return reported;
  }

  /** An error as the ranks of its group report it, of whom one had it. */
  static MillraceException ofRank(int rank, MillraceException own) {
    return MillraceException.of(own.code(), rank, String.valueOf(own.getMessage()))
        .withDetail(own.detail());
  }

  Span beginTransfer() {
    return calls.beginTransfer();
  }

  void endTransfer(Span span, Plan plan) {
    calls.endTransfer(span, plan);
  }

  /** All have arrived, this rank last: they carry it out together if that is the best way. */
  void carryOut(Env env, List<LocalMeetingPart> all, int own, CollectiveId id, long deadlineNanos) {
    JointCall together = jointly(all);
    if (together == null) {
      carryOut(all, id, deadlineNanos);
      return;
    }
    together.begin(env, own);
    await(env, Env.NEVER, () -> {}); // others are about to end their last tasks
  }

  private @Nullable JointCall jointly(List<LocalMeetingPart> all) {
    try {
      return calls.plans().joint(all);
    } catch (IOException | RuntimeException e) {
      return null; // nothing has moved
    }
  }

  /** Carries the parts of all out, one after the other. */
  private void carryOut(List<LocalMeetingPart> all, CollectiveId id, long deadlineNanos) {
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
          MillraceException reported = one.failed(e);
          failure = failure == null ? ofRank(rank, reported) : failure;
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
