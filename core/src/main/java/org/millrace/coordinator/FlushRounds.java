package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Lets ranks that flush an open file at about the same time share the work, like the group commit
 * of a journal. A rank that asks during a round waits for the next one, which begins when that one
 * is over; so every strand is flushed after the last rank of a round has asked.
 *
 * <pre>
 *   idle -- a rank asks --> round of one
 *   round -- all have flushed their shares --> all are answered; the next round, of all waiting ranks, or idle
 *   round -- one of them failed, or has left --> all are answered so, and flush everything themselves
 * </pre>
 *
 * <p>Guarded by the coordinator's lock.
 */
final class FlushRounds {

  private record Waiter(GroupMember member, ReplyTo replyTo) {}

  /** A round under way. */
  private static final class Round {
    final long number;
    final List<GroupMember> members;
    final Map<GroupMember, ReplyTo> flushed =
        new LinkedHashMap<>(); // answered in the order they came

    Round(long number, List<GroupMember> members) {
      this.number = number;
      this.members = members;
    }

    /** Whether a member speaks of this round; if it never heard its number, of its own share. */
    boolean isOf(long said, GroupMember member) {
      boolean meant = said == CoordinatorRequest.Flushed.ANY && !flushed.containsKey(member);
      return (meant || said == number) && members.contains(member);
    }
  }

  /** The rounds of one open file. */
  private static final class Rounds {
    final List<Waiter> waiting = new ArrayList<>();
    @Nullable Round current;
  }

  // constant after construction
  private final Groups groups;

  // guarded by the coordinator's lock
  private final Map<Long, Rounds> byOpen = new HashMap<>();
  private long nextRound = 1;

  FlushRounds(Groups groups) {
    this.groups = groups;
  }

  void onShare(Peer from, CoordinatorRequest.ShareFlush r, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, r.group(), r.rank());
    if (member.group.opens.get(r.open()) == null) {
      throw new MillraceException(
          ErrorCode.CLOSED, "group " + r.group() + " has no open file " + r.open());
    }
    Rounds rounds = byOpen.computeIfAbsent(r.open(), _ -> new Rounds());
    if (rounds.waiting.stream().anyMatch(waiter -> waiter.member == member)) {
      throw new MillraceException(ErrorCode.INVALID, member + " waits for a share already");
    }
    rounds.waiting.add(new Waiter(member, replyTo));
    if (rounds.current == null) {
      begin(rounds, answers);
    }
    forgetIfIdle(r.open(), rounds);
  }

  void onFlushed(Peer from, CoordinatorRequest.Flushed r, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, r.group(), r.rank());
    Rounds rounds = byOpen.get(r.open());
    Round round = rounds == null ? null : rounds.current;
    boolean counts = round != null && round.isOf(r.round(), member);
    if (r.failure().code() != null) {
      answers.reply(replyTo, new CoordinatorReply.Done());
      if (rounds != null) {
        rounds.waiting.removeIf(waiter -> waiter.member == member);
        if (counts) {
          fail(rounds, member + " did not flush its share", answers);
        }
        forgetIfIdle(r.open(), rounds);
      }
    } else if (rounds == null || round == null || !counts) {
      throw new MillraceException(ErrorCode.RANK_FAILED, "flush round " + r.round() + " is over");
    } else {
      round.flushed.put(member, replyTo);
      if (round.flushed.size() == round.members.size()) {
        round.flushed.values().forEach(to -> answers.reply(to, new CoordinatorReply.Done()));
        begin(rounds, answers);
        forgetIfIdle(r.open(), rounds);
      }
    }
  }

  /** Handles the end of a member, which flushes nothing from now on. */
  void onLeft(GroupMember member, DeferredReplies answers) {
    Iterator<Rounds> each = byOpen.values().iterator();
    while (each.hasNext()) {
      Rounds rounds = each.next();
      rounds.waiting.removeIf(waiter -> waiter.member == member);
      Round round = rounds.current;
      if (round != null && round.members.contains(member) && !round.flushed.containsKey(member)) {
        fail(rounds, member + " has ended", answers);
      }
      if (rounds.current == null) {
        each.remove();
      }
    }
  }

  /** The coordinator ends. */
  void failAll(MillraceException reason, DeferredReplies answers) {
    for (Rounds rounds : byOpen.values()) {
      rounds.waiting.forEach(waiter -> answers.fail(waiter.replyTo, reason));
      if (rounds.current != null) {
        rounds.current.flushed.values().forEach(to -> answers.fail(to, reason));
      }
    }
    byOpen.clear();
  }

  /** A round with all waiting ranks; none if there are none. */
  private void begin(Rounds rounds, DeferredReplies answers) {
    rounds.current = null;
    if (!rounds.waiting.isEmpty()) {
      List<GroupMember> members = rounds.waiting.stream().map(Waiter::member).toList();
      rounds.current = new Round(nextRound++, members);
      for (int part = 0; part < members.size(); part++) {
        answers.reply(
            rounds.waiting.get(part).replyTo,
            new CoordinatorReply.Share(rounds.current.number, part, members.size()));
      }
      rounds.waiting.clear();
    }
  }

  /** Those that have flushed learn that others have not; the others when they have. */
  private void fail(Rounds rounds, String reason, DeferredReplies answers) {
    Round round = rounds.current;
    if (round != null) {
      MillraceException error = new MillraceException(ErrorCode.RANK_FAILED, reason);
      round.flushed.values().forEach(to -> answers.fail(to, error));
    }
    begin(rounds, answers);
  }

  private void forgetIfIdle(long open, Rounds rounds) {
    if (rounds.current == null) {
      byOpen.remove(open);
    }
  }
}
