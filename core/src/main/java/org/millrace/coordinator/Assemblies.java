package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.Assemble;
import org.millrace.protocol.Status;

/**
 * Jobs whose ranks are joining, one process after the other, to form a group. Jobs of different
 * users are different jobs, even with the same name. Guarded by the coordinator's lock.
 */
final class Assemblies {

  private static final int MAX_JOB_CHARS = 1024;

  /** Whose job it is, and what it is called. */
  private record Key(String user, String job) {}

  /** A rank that has arrived. */
  private record Waiter(Peer peer, Assemble request, ReplyTo replyTo, long sinceNanos) {}

  /** A job that is not complete. */
  private static final class Gathering {
    final int size;
    final TreeMap<Integer, Waiter> arrived = new TreeMap<>();
    Timers.@Nullable Timer timer;

    Gathering(int size) {
      this.size = size;
    }

    List<Integer> missing() {
      List<Integer> missing = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        if (!arrived.containsKey(rank)) {
          missing.add(rank);
        }
      }
      return missing;
    }
  }

  // constant after construction
  private final Env env;
  private final Groups groups;
  private final Timers timers;
  private final Quotas bounds;

  // guarded by the coordinator's lock
  private final Map<Key, Gathering> gatherings = new HashMap<>();

  Assemblies(Env env, Groups groups, Timers timers, Quotas bounds) {
    this.bounds = bounds;
    this.env = env;
    this.groups = groups;
    this.timers = timers;
  }

  void onAssemble(Peer from, Assemble request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    check(request);
    if (tellAgain(from, request, replyTo, answers)) {
      return;
    }
    groups.checkMayForm(from);
    Key key = new Key(from.user(), request.job());
    Gathering gathering = gatherings.get(key);
    if (gathering != null) {
      try {
        checkFits(gathering, from, request, answers);
      } catch (MillraceException e) {
        if (request.ofGroup().isPresent()) { // ranks of one program: they would wait for nobody
          fail(key, e, answers);
        }
        throw e;
      }
    } else {
      checkMayBegin(from);
      Gathering fresh = new Gathering(request.size());
      gatherings.put(key, fresh);
      fresh.timer =
          timers.after(request.waitNanos(), late -> fail(key, tooLate(key, fresh, request), late));
      gathering = fresh;
    }
    gathering.arrived.put(request.rank(), new Waiter(from, request, replyTo, env.nanoTime()));
    if (gathering.arrived.size() == gathering.size) {
      drop(key);
      assemble(key, gathering, answers);
    } else {
      failIfTooFew(key, gathering, answers);
    }
  }

  /** A job was complete before the coordinator was restarted, and one rank has not heard of it. */
  private boolean tellAgain(Peer from, Assemble request, ReplyTo replyTo, DeferredReplies answers) {
    for (GroupMember place : groups.of(from)) {
      Group group = place.group;
      if (group.job.equals(request.job())
          && place.rank == request.rank()
          && group.unheard.remove(from.session())) {
        List<String> inboxes =
            group.joinedMembers().stream().map(member -> member.actor.inbox).toList();
        answers.reply(replyTo, new CoordinatorReply.Assembled(group.id, inboxes));
        return true;
      }
    }
    return false;
  }

  /** A rank has ended: fails what its group has too few ranks for now. */
  void onLeft(DeferredReplies answers) {
    List.copyOf(gatherings.entrySet())
        .forEach(each -> failIfTooFew(each.getKey(), each.getValue(), answers));
  }

  /** Fails a gathering of ranks of a group if so many have ended that it cannot be complete. */
  private void failIfTooFew(Key key, Gathering gathering, DeferredReplies answers) {
    Optional<Long> of = gathering.arrived.firstEntry().getValue().request.ofGroup();
    if (of.isPresent() && groups.isTooSmall(of.get(), gathering.size)) {
      fail(
          key,
          new RankFailedException(
              "%s: %s of %s cannot come, since ranks of the program have ended"
                  .formatted(
                      Paths.show(key.job), Agreement.ranks(gathering.missing()), gathering.size)),
          answers);
    }
  }

  private void checkMayBegin(Peer from) throws MillraceException {
    long current = sessions().stream().filter(session -> session == from.session()).count();
    Quotas.check(
        (int) current, bounds.gatherings(), "session " + from.session() + "'s list of jobs");
  }

  private static void check(Assemble request) throws MillraceException {
    Quotas.checkLength(request.inbox(), Quotas.ADDRESS_CHARS, "an address");
    if (request.job().isEmpty() || request.job().length() > MAX_JOB_CHARS) {
      throw invalid(
          "the name of a job has 1 to %s characters, not %s"
              .formatted(MAX_JOB_CHARS, request.job().length()));
    }
    Groups.checkSize(request.size());
    if (request.rank() < 0 || request.rank() >= request.size()) {
      throw invalid(
          "rank %s is not in 0..%s of job %s"
              .formatted(request.rank(), request.size() - 1, Paths.show(request.job())));
    }
    if (request.waitNanos() < 1) {
      throw invalid("a job cannot wait for " + request.waitNanos() + " ns");
    }
  }

  private static void checkFits(
      Gathering gathering, Peer from, Assemble request, DeferredReplies answers)
      throws MillraceException {
    String job = "job " + Paths.show(request.job());
    if (gathering.size != request.size()) {
      throw new MixedCallException(
          "%s: %s announced %s ranks, rank %s announced %s"
              .formatted(
                  job,
                  Agreement.ranks(gathering.arrived.keySet()),
                  gathering.size,
                  request.rank(),
                  request.size()));
    }
    Waiter same = gathering.arrived.get(request.rank());
    if (same == null) {
      return;
    }
    if (same.peer.session() != from.session()) {
      throw invalid(
          "%s: sessions %s and %s both say that they are rank %s%s"
              .formatted(
                  job,
                  same.peer.session(),
                  from.session(),
                  request.rank(),
                  same.request.inbox().isEmpty()
                      ? ""
                      : "; the first is at " + same.request.inbox()));
    }
    answers.fail(same.replyTo, new DeadlineException(job + ": the rank repeated its request"));
  }

  private void assemble(Key key, Gathering gathering, DeferredReplies answers) {
    List<String> inboxes = new ArrayList<>();
    Group group = groups.assemble(gathering.arrived.firstEntry().getValue().peer, gathering.size);
    group.job = key.job;
    for (Waiter waiter : gathering.arrived.values()) {
      Actor actor = groups.join(group, waiter.request.rank(), waiter.peer).actor;
      actor.inbox = waiter.request.inbox();
      inboxes.add(waiter.request.inbox());
    }
    CoordinatorReply reply = new CoordinatorReply.Assembled(group.id, List.copyOf(inboxes));
    gathering.arrived.values().forEach(waiter -> answers.reply(waiter.replyTo, reply));
  }

  private static MillraceException tooLate(Key key, Gathering gathering, Assemble first) {
    return new RankFailedException(
        "job %s: %s of %s did not arrive within %s"
            .formatted(
                Paths.show(key.job),
                Agreement.ranks(gathering.missing()),
                gathering.size,
                Agreement.seconds(first.waitNanos())));
  }

  /** Removes the waiting ranks of a session: they are missing again. */
  void onSessionEnd(Peer peer) {
    for (Map.Entry<Key, Gathering> each : List.copyOf(gatherings.entrySet())) {
      Gathering gathering = each.getValue();
      gathering.arrived.values().removeIf(waiter -> waiter.peer.session() == peer.session());
      if (gathering.arrived.isEmpty()) {
        drop(each.getKey());
      }
    }
  }

  void failAll(MillraceException error, DeferredReplies answers) {
    for (Key key : List.copyOf(gatherings.keySet())) {
      fail(key, error, answers);
    }
  }

  private void fail(Key key, MillraceException error, DeferredReplies answers) {
    Gathering gathering = drop(key);
    if (gathering != null) {
      gathering.arrived.values().forEach(waiter -> answers.fail(waiter.replyTo, error));
    }
  }

  private @Nullable Gathering drop(Key key) {
    Gathering gathering = gatherings.remove(key);
    if (gathering != null && gathering.timer != null) {
      timers.cancel(gathering.timer);
    }
    return gathering;
  }

  /**
   * The jobs that gather, as groups without a number, for people: what users call them and where
   * their ranks listen only if {@code seen}.
   */
  List<Status.OfGroup> describe(Predicate<String> seen) {
    List<Status.OfGroup> all = new ArrayList<>();
    gatherings.forEach(
        (key, gathering) ->
            all.add(
                new Status.OfGroup(
                    0,
                    gathering.size,
                    key.user,
                    seen.test(key.user) ? key.job : "",
                    gathering.arrived.values().stream()
                        .map(
                            w ->
                                new Status.OfMember(
                                    w.request.rank(),
                                    seen.test(key.user) ? w.request.inbox() : "",
                                    ""))
                        .toList())));
    all.sort((a, b) -> (a.user() + "/" + a.job()).compareTo(b.user() + "/" + b.job()));
    return all;
  }

  /** Sessions that wait here. */
  List<Long> sessions() {
    return gatherings.values().stream()
        .flatMap(gathering -> gathering.arrived.values().stream())
        .map(waiter -> waiter.peer.session())
        .toList();
  }

  private static MillraceException invalid(String reason) {
    return new MillraceException(ErrorCode.INVALID, reason);
  }
}
