package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.access.group.Digest;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.files.FilePath;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.collective.Overlaps;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.Holder;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.PointerCells;
import org.millrace.protocol.Recalled;

/**
 * Carries out, once, the effect of a meeting at which all ranks have arrived, and replies to them.
 * Guarded by the coordinator's lock.
 */
record MeetingEffects(
    Groups groups,
    Opens opens,
    Pointers pointers,
    FileOpener opener,
    Journal journal,
    Leftovers leftovers,
    CapabilityIssuer issuer,
    Revocations revocations,
    Delegations delegations) {

  /**
   * Answers all ranks of the meeting, now or when the journal is durable; or throws and has changed
   * nothing.
   */
  void decide(Meetings meetings, Meeting meeting, DeferredReplies answers)
      throws MillraceException {
    List<MeetingPart> parts = meeting.parts();
    switch (meeting.first().meet().effect()) {
      case Effect.None _ -> answerMet(parts, 0, answers);
      case Effect.Take take -> {
        mark(meeting, take.pointer());
        take(parts, take, answers);
      }
      case Effect.Set set -> {
        mark(meeting, set.pointer());
        pointers.set(session(parts), set.pointer(), set.value());
        answerMet(parts, set.value(), 0, pointers.stamp(), answers);
      }
      case Effect.Open open -> open(meeting, open, answers);
      case Effect.Close close -> close(meetings, meeting, close, answers);
      case Effect.Split _ -> split(meeting, answers);
      case Effect.Exchange _ -> exchange(parts, answers);
    }
  }

  /**
   * Says whose call is about to move a pointer, so that the next life knows that it may have
   * happened.
   *
   * @throws MillraceException UNKNOWN if it may have happened in the life before, and no rank heard
   *     of it
   */
  private void mark(Meeting meeting, long pointer) throws MillraceException {
    long open = meeting.channel.number;
    if (leftovers.recalls().mayHaveMoved(pointer, open, meeting.sequence)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN,
          meeting.title()
              + ": the coordinator was restarted; the shared pointer may have been moved before");
    }
    pointers.mark(pointer, open, meeting.sequence);
  }

  /**
   * Answers a rank that repeats a call of which another rank heard the outcome before the
   * coordinator was restarted.
   */
  void tellAgain(
      GroupMember member,
      CoordinatorRequest.Meet meet,
      Recalled.Told told,
      ReplyTo replyTo,
      DeferredReplies answers) {
    switch (told) {
      case Recalled.Told.Met(CoordinatorReply.Met met) -> {
        Open open = member.group.opens.get(meet.channel());
        if (open != null && meet.effect() instanceof Effect.Close) {
          leftovers.close(open);
        }
        answers.reply(replyTo, met);
      }
      case Recalled.Told.Exchanged(CoordinatorReply.Exchanged all) -> answers.reply(replyTo, all);
      case Recalled.Told.Digested(CoordinatorReply.Digested all) -> answers.reply(replyTo, all);
      case Recalled.Told.Opened(OpenFlags flags, CoordinatorReply.Opened opened) -> {
        Peer peer = member.actor.peer;
        var opening = new Recalled.Opening(member.group.id, flags, opened, opened.capability());
        if (!member.group.opens.containsKey(opened.open())) {
          leftovers
              .recalls()
              .restoreOpen(member.group, peer, opening)
              .ifPresent(Recalls::closedByAll);
        }
        Open open = member.group.opens.get(opened.open());
        if (open != null) {
          open.letGoBy().remove(member.rank);
        }
        answers.reply(replyTo, opened.heldBy(issuer.holder(peer)));
      }
      case Recalled.Told.Split _ -> tellSplitAgain(member, meet, replyTo, answers);
      case Recalled.Told.Failed(Failure failure) -> {
        ErrorCode code = failure.code() == null ? ErrorCode.UNKNOWN : failure.code();
        answers.fail(
            replyTo, MillraceException.of(code, failure.message()).withDetail(failure.detail()));
      }
    }
  }

  private static void tellSplitAgain(
      GroupMember member, CoordinatorRequest.Meet meet, ReplyTo replyTo, DeferredReplies answers) {
    CoordinatorReply.Split split =
        member
            .group
            .recalledSplits
            .getOrDefault(new Group.CallId(meet.channel(), meet.sequence()), Map.of())
            .get(member.rank);
    if (split != null) {
      answers.reply(replyTo, split);
    } else { // only if not all ranks have come back, of which one wanted a group, too
      answers.fail(
          replyTo,
          new RankFailedException(
              member.group.firstLeft().map(Object::toString).orElse("a rank")
                  + " has ended: which group "
                  + member
                  + " was split into is not known"));
    }
  }

  /** Forgets the opens of a group without members. */
  void abandon(Group group) {
    for (Open open : List.copyOf(group.opens.values())) {
      leftovers.close(open);
    }
  }

  /**
   * Closes an open file whether its group wants it or not; nodes learn of it when they ask next.
   */
  void takeAway(Meetings meetings, Open open, String reason, DeferredReplies answers) {
    revocations.revoke(open);
    meetings.onChannelClosed(open.channel(), reason, answers);
    leftovers.close(open);
  }

  /** Closes the files of a group that can no longer meet, where all remaining ranks want that. */
  void letGo(Meetings meetings, Group group, DeferredReplies answers) {
    if (group.firstLeft().isEmpty() && group.firstRevoker().isEmpty()) {
      return; // it can still meet
    }
    for (Open open : List.copyOf(group.opens.values())) {
      if (open.isLetGo()) {
        meetings.onChannelClosed(open.channel(), "the file was closed", answers);
        leftovers.close(open);
      }
    }
  }

  private void take(List<MeetingPart> parts, Effect.Take take, DeferredReplies answers)
      throws MillraceException {
    long sum = 0;
    long floor = 0;
    long limit = Long.MIN_VALUE;
    for (MeetingPart part : parts) {
      long value = part.meet().value();
      if (value < 0 || sum > Long.MAX_VALUE - value) {
        throw new MillraceException(
            ErrorCode.INVALID,
            "rank " + part.member().rank + " moves a shared pointer by " + value);
      }
      sum += value;
      if (part.meet().effect() instanceof Effect.Take own) {
        floor = Math.max(floor, own.floor());
        limit = Math.max(limit, own.limit());
      }
    }
    long delta = take.once() ? parts.getFirst().meet().value() : sum;
    if (limit == Long.MAX_VALUE) { // a write: it must not come out short where the numbers end
      long start = Math.max(pointers.at(session(parts), take.pointer()), floor);
      if (start > Long.MAX_VALUE - delta) {
        throw new MillraceException(
            ErrorCode.INVALID,
            "position " + start + " plus length " + delta + " exceeds " + Long.MAX_VALUE);
      }
    }
    long base = pointers.advance(session(parts), take.pointer(), delta, floor, limit);
    if (take.follower() != 0 && delta > 0) {
      long end = PointerCells.after(base, delta, floor, limit);
      pointers.set(session(parts), take.follower(), end);
    }
    answerMet(parts, base, limit, pointers.stamp(), answers);
  }

  /** Tells all ranks what all want, or a digest of it where that is long. */
  private static void exchange(List<MeetingPart> parts, DeferredReplies answers) {
    List<Effect.Exchange> all = new ArrayList<>(parts.size());
    for (MeetingPart part : parts) {
      if (part.meet().effect() instanceof Effect.Exchange own) {
        all.add(own);
      }
    }
    CoordinatorReply.Exchanged whole = CoordinatorReply.Exchanged.of(all);
    Optional<Digest> digest = Digest.ofIrregular(whole.accesses(), Overlaps::between);
    CoordinatorReply reply =
        digest.isEmpty()
            ? whole
            : new CoordinatorReply.Digested(
                digest.get(),
                whole.reachable(),
                whole.remote(),
                whole.reach(),
                whole.size(),
                whole.array());
    answerAll(parts, reply, answers);
  }

  private void open(Meeting meeting, Effect.Open effect, DeferredReplies answers)
      throws MillraceException {
    if (leftovers.recalls().isOpen() && opener.isThere(FilePath.of(effect.path()))) {
      leftovers
          .recalls()
          .whenOver(late -> openLate(meeting, effect, late)); // somebody may have it open
      return;
    }
    openGivenBack(meeting, effect, answers);
  }

  /** Opens when no session keeps bytes that the ranks are about to change. */
  private void openGivenBack(Meeting meeting, Effect.Open effect, DeferredReplies answers)
      throws MillraceException {
    Optional<NameEntry> kept =
        effect.flags().write()
            ? opener
                .find(FilePath.of(effect.path()))
                .filter(entry -> delegations.isKeptByOthers(Group.NONE, entry.id))
            : Optional.empty();
    if (kept.isPresent()) {
      delegations.takeBack(
          Group.NONE, kept.get().id, late -> openLate(meeting, effect, late), answers);
    } else {
      openNow(meeting, effect, answers);
    }
  }

  private void openLate(Meeting meeting, Effect.Open effect, DeferredReplies answers) {
    try {
      if (!groups.isThere(meeting.group)) {
        throw new MillraceException(ErrorCode.CLOSED, "group " + meeting.group.id + " has ended");
      }
      openGivenBack(meeting, effect, answers);
    } catch (MillraceException e) {
      Meetings.answerAll(meeting.parts(), e, answers);
    }
  }

  private void openNow(Meeting meeting, Effect.Open effect, DeferredReplies answers)
      throws MillraceException {
    FileOpener.Found found;
    try {
      opens.checkMayOpen(meeting.group);
      int mark = journal.mark();
      found = opener.open(meeting.group, effect, meeting.sequence);
      journal.answer(mark, meeting, found.entry().id);
      meeting.group.repeated.remove(
          new Group.CallId(meeting.channel.number, meeting.sequence)); // from now on it has it open
    } catch (MillraceException e) {
      for (MeetingPart part : meeting.parts()) {
        journal.whenDurable(CommitCallback.failing(part.replyTo(), e), answers);
      }
      return;
    }
    NameEntry entry = found.entry();
    Open open = opens.add(meeting.group, entry.id, effect.flags(), true);
    if (effect.flags().deleteOnClose()) {
      opens.deletes(found);
    }
    User first = User.of(meeting.group.joinedMembers().getFirst().actor.peer); // it finishes them
    CoordinatorReply.Opened reply =
        new CoordinatorReply.Opened(
            open.number(),
            entry.id,
            entry.currentLayout(),
            entry.confirmed,
            found.created(),
            open.pointer(),
            open.endPointer(),
            open.viewEndPointer(),
            issuer.issue(open),
            leftovers.transactions().isUnfinished(entry.id, first),
            Holder.NONE,
            entry.copied == null ? 0 : leftovers.names().copyEpoch());
    List<MeetingPart> parts = meeting.parts();
    journal.whenDurable(
        new CommitCallback() {
          @Override
          public void done(DeferredReplies late) {
            for (MeetingPart part : parts) {
              Holder holder = issuer.holder(part.member().actor.peer);
              late.reply(part.replyTo(), reply.heldBy(holder));
            }
          }

          @Override
          public void failed(MillraceException error, DeferredReplies late) {
            if (open.group().opens.containsKey(open.number())) {
              opens.remove(open);
            }
            Meetings.answerAll(parts, error, late);
          }
        },
        answers);
  }

  private void close(
      Meetings meetings, Meeting meeting, Effect.Close close, DeferredReplies answers)
      throws MillraceException {
    Open open = meeting.group.opens.get(close.open());
    if (open == null) {
      throw new MillraceException(
          ErrorCode.CLOSED, "group " + meeting.group.id + " has no open file " + close.open());
    }
    meetings.onChannelClosed(open.channel(), "the file was closed", answers);
    boolean removed = leftovers.close(open);
    if (!removed && !open.flags().deleteOnClose()) {
      answerMet(meeting.parts(), 0, answers);
      return;
    }
    List<MeetingPart> parts = meeting.parts();
    journal.whenDurable(
        new CommitCallback() {
          @Override
          public void done(DeferredReplies late) {
            answerMet(parts, removed ? 1 : 0, late);
          }

          @Override
          public void failed(MillraceException error, DeferredReplies late) {
            Meetings.answerAll(parts, error, late);
          }
        },
        answers);
  }

  private void split(Meeting meeting, DeferredReplies answers) throws MillraceException {
    TreeMap<Integer, List<MeetingPart>> byColor = new TreeMap<>();
    List<MeetingPart> without = new ArrayList<>();
    for (MeetingPart part : meeting.parts()) {
      Effect.Split split = (Effect.Split) part.meet().effect();
      if (split.color() < 0) {
        without.add(part);
      } else {
        byColor.computeIfAbsent(split.color(), _ -> new ArrayList<>()).add(part);
      }
    }
    groups.checkMaySplit(meeting.group, byColor.size());
    long first = byColor.isEmpty() ? 0 : groups.nextId();
    answerAll(without, new CoordinatorReply.Split(first, -1, 0), answers);
    for (List<MeetingPart> parts : byColor.values()) { // in this order: Splits knows it
      // Stable: ranks with equal keys keep their order.
      parts.sort(Comparator.comparingInt(part -> ((Effect.Split) part.meet().effect()).key()));
      List<Actor> actors = parts.stream().map(part -> part.member().actor).toList();
      Group group = groups.split(meeting.group, actors);
      for (int rank = 0; rank < parts.size(); rank++) {
        answers.reply(
            parts.get(rank).replyTo(), new CoordinatorReply.Split(group.id, rank, group.size));
      }
    }
  }

  private static long session(List<MeetingPart> parts) {
    return parts.getFirst().member().actor.peer.session();
  }

  private static void answerMet(List<MeetingPart> parts, long base, DeferredReplies answers) {
    answerMet(parts, base, 0, 0, answers);
  }

  private static void answerMet(
      List<MeetingPart> parts, long base, long limit, long stamp, DeferredReplies answers) {
    Long[] values = new Long[parts.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = parts.get(i).meet().value();
    }
    answerAll(parts, new CoordinatorReply.Met(base, limit, List.of(values), stamp), answers);
  }

  private static void answerAll(List<MeetingPart> parts, Message reply, DeferredReplies answers) {
    for (MeetingPart part : parts) {
      answers.reply(part.replyTo(), reply);
    }
  }
}
