package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Lets the living ranks of a group continue as a new one, as MPI's fault tolerance does by revoke
 * and shrink. The first request revokes the group: its pending and future meetings fail, so that
 * every other living rank learns of it and regroups, too. A revoked group stays revoked, even if
 * regrouping fails; it can be tried again.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Regroups {

  // constant after construction
  private final Env env;
  private final Groups groups;
  private final WaitGraph graph;
  private final Meetings meetings;
  private final Timers timers;

  // guarded by the coordinator's lock
  private final Map<Long, Regrouping> byGroup = new HashMap<>();

  Regroups(Env env, Groups groups, WaitGraph graph, Meetings meetings, Timers timers) {
    this.env = env;
    this.groups = groups;
    this.graph = graph;
    this.meetings = meetings;
    this.timers = timers;
  }

  void onRegroup(
      Peer from, CoordinatorRequest.Regroup request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, request.group(), request.rank());
    if (request.waitNanos() < 1) {
      throw new MillraceException(
          ErrorCode.INVALID, "regrouping cannot wait for " + request.waitNanos() + " ns");
    }
    Group group = member.group;
    CoordinatorReply.Regrouped told = group.recalledRegroups.remove(member.rank);
    if (told != null) { // others have heard it before the coordinator was restarted
      group.revoke(member);
      answers.reply(replyTo, told);
      return;
    }
    Regrouping regrouping = byGroup.get(group.id);
    if (regrouping == null) {
      Regrouping fresh = new Regrouping(group);
      byGroup.put(group.id, fresh);
      fresh.timer =
          timers.after(
              request.waitNanos(), late -> fail(fresh, tooLate(fresh, request.waitNanos()), late));
      regrouping = fresh;
    }
    group.revoke(member);
    meetings.onRevoked(group, answers);
    RegroupWaiter waiter = new RegroupWaiter(this, regrouping, member, replyTo, env.nanoTime());
    RegroupWaiter before = regrouping.arrived.put(member.rank, waiter);
    if (before != null) {
      graph.end(before);
      answers.fail(before.replyTo(), new DeadlineException(member + " repeated its request"));
    }
    graph.start(waiter);
    endIfComplete(regrouping, answers);
  }

  /** Stops waiting for a member that has just left. */
  void onLeft(GroupMember member, DeferredReplies answers) {
    Regrouping regrouping = byGroup.get(member.group.id);
    if (regrouping == null) {
      return;
    }
    RegroupWaiter waiter = regrouping.arrived.remove(member.rank);
    if (waiter != null) {
      graph.end(waiter);
      answers.fail(waiter.replyTo(), new RankFailedException(member + " has ended"));
    }
    endIfComplete(regrouping, answers);
  }

  private void endIfComplete(Regrouping regrouping, DeferredReplies answers) {
    if (!regrouping.missing().isEmpty()) {
      return;
    }
    drop(regrouping);
    List<RegroupWaiter> waiters = List.copyOf(regrouping.arrived.values());
    if (waiters.isEmpty()) {
      return;
    }
    List<Integer> former = waiters.stream().map(waiter -> waiter.member().rank).toList();
    List<Actor> actors = waiters.stream().map(waiter -> waiter.member().actor).toList();
    Group made = groups.split(regrouping.group, actors);
    made.job = regrouping.group.job;
    for (int rank = 0; rank < waiters.size(); rank++) {
      RegroupWaiter waiter = waiters.get(rank);
      graph.end(waiter);
      answers.reply(waiter.replyTo(), new CoordinatorReply.Regrouped(made.id, rank, former));
    }
  }

  private static MillraceException tooLate(Regrouping regrouping, long waitNanos) {
    List<Integer> missing = regrouping.missing().stream().map(member -> member.rank).toList();
    return new DeadlineException(
        "group %s cannot regroup: %s did not arrive within %s"
            .formatted(
                regrouping.group.id, Agreement.ranks(missing), Agreement.seconds(waitNanos)));
  }

  void fail(Regrouping regrouping, MillraceException error, DeferredReplies answers) {
    if (byGroup.get(regrouping.group.id) != regrouping) {
      return;
    }
    drop(regrouping);
    for (RegroupWaiter waiter : regrouping.arrived.values()) {
      graph.end(waiter);
      answers.fail(waiter.replyTo(), error);
    }
  }

  void failAll(MillraceException error, DeferredReplies answers) {
    for (Regrouping regrouping : new ArrayList<>(byGroup.values())) {
      fail(regrouping, error, answers);
    }
  }

  private void drop(Regrouping regrouping) {
    byGroup.remove(regrouping.group.id);
    if (regrouping.timer != null) {
      timers.cancel(regrouping.timer);
    }
  }
}
