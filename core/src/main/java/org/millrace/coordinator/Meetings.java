package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.GatheredParts;
import org.millrace.protocol.Recalled;

/**
 * Collects synchronizing calls, compares them, and answers all ranks together. Guarded by the
 * coordinator's lock.
 */
final class Meetings {

  /** Discards replies that no rank waits for. */
  private static final ReplyTo NO_REPLY =
      new ReplyTo() {
        @Override
        public void reply(Message reply) {}

        @Override
        public void fail(MillraceException error) {}
      };

  // constant after construction
  private final Env env;
  private final Groups groups;
  private final WaitGraph graph;
  private final MeetingEffects effects;

  Meetings(Env env, Groups groups, WaitGraph graph, MeetingEffects effects) {
    this.env = env;
    this.groups = groups;
    this.graph = graph;
    this.effects = effects;
  }

  void onMeet(Peer from, CoordinatorRequest.Meet meet, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, meet.group(), meet.rank());
    Recalled.Told before =
        member.group.recalled.get(new Group.CallId(meet.channel(), meet.sequence()));
    if (before != null) { // it was answered before the coordinator was restarted
      effects.tellAgain(member, meet, before, replyTo, answers);
      return;
    }
    MeetingChannel channel = requireChannel(member.group, meet.channel());
    Optional<MeetingOutcome> told = channel.outcome(meet.sequence());
    if (told.isPresent()) { // others spoke for it, and it has not heard what came of it
      told.get().tell(replyTo, answers);
      return;
    }
    try {
      arrive(member, channel, meet, replyTo, answers);
    } catch (RankFailedException e) {
      noteLetGo(member, meet);
      throw e;
    } finally {
      effects.letGo(this, member.group, answers);
    }
  }

  /** A rank arrives that does not wait for the outcome: it is answered at once. */
  void onNote(Peer from, CoordinatorRequest.Meet meet, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    onMeet(from, meet, NO_REPLY, answers);
    answers.reply(replyTo, new CoordinatorReply.Done());
  }

  private void arrive(
      GroupMember member,
      MeetingChannel channel,
      CoordinatorRequest.Meet meet,
      ReplyTo replyTo,
      DeferredReplies answers)
      throws MillraceException {
    Meeting meeting = requireMeeting(member, channel, meet, true);
    MeetingPart part = new MeetingPart(this, meeting, member, meet, replyTo, env.nanoTime());
    meeting.add(part);
    if (meeting.error().isPresent()) {
      answers.fail(replyTo, meeting.error().get());
      noteLetGo(meeting);
      endIfComplete(meeting);
    } else if (!Agreement.agree(meeting.first().meet(), meet)) {
      graph.start(part);
      fail(meeting, mixed(meeting), answers);
    } else if (meeting.isFull()) {
      decideFull(meeting, answers);
    } else {
      graph.start(part);
      // While all waiting ranks wait here, none of them waits for a rank that has arrived.
      if (graph.size() > meeting.arriveDirectly()) {
        graph.breakCycle(part, answers);
      }
    }
  }

  private void decideFull(Meeting meeting, DeferredReplies answers) {
    for (MeetingPart part : meeting.parts()) {
      graph.end(part);
    }
    meeting.channel.end(meeting);
    if (isGathered(meeting)) {
      MeetingOutcome outcome = new MeetingOutcome(meeting.proxies());
      meeting.tellToo(outcome);
      meeting.channel.remember(meeting.sequence, outcome);
    }
    decide(meeting, answers);
  }

  /**
   * Whether a rank may arrive at a meeting after it is over, as a proxy or because of one: then all
   * ranks get the same answer.
   */
  private static boolean isGathered(Meeting meeting) {
    return meeting.channel.gathers() && GatheredParts.mayGather(meeting.first().meet().effect());
  }

  /** One rank comes for several: as if each of them came, but they are not seen to wait. */
  void onMeetCombined(
      Peer from, CoordinatorRequest.MeetCombined combined, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GatheredParts gathered = combined.gathered();
    GroupMember proxy = groups.requireMember(from, combined.group(), gathered.first());
    checkSound(proxy.group, gathered);
    Recalled.Told before =
        proxy.group.recalled.get(new Group.CallId(combined.channel(), combined.sequence()));
    if (before != null) {
      effects.tellAgain(proxy, meet(combined, gathered.first()), before, replyTo, answers);
      return;
    }
    MeetingChannel channel = requireChannel(proxy.group, combined.channel());
    channel.gather();
    Optional<MeetingOutcome> told = channel.outcome(combined.sequence());
    if (told.isPresent()) {
      told.get().tell(replyTo, answers);
      return;
    }
    Meeting meeting = requireMeeting(proxy, channel, meet(combined, gathered.first()), false);
    meeting.addProxy(replyTo);
    for (int rank = gathered.first(); rank < gathered.end(); rank++) {
      GroupMember member = proxy.group.member(rank).orElseThrow();
      meeting.addFor(
          new MeetingPart(
              this, meeting, member, meet(combined, rank), MeetingPart.NOBODY, env.nanoTime()));
    }
    if (meeting.error().isPresent()) {
      answers.fail(replyTo, meeting.error().get());
      endIfComplete(meeting);
    } else if (!Agreement.agree(meeting.first().meet(), meet(combined, gathered.first()))) {
      fail(meeting, mixed(meeting), answers);
    } else if (meeting.isFull()) {
      decideFull(meeting, answers);
    }
  }

  private static CoordinatorRequest.Meet meet(CoordinatorRequest.MeetCombined all, int rank) {
    return all.gathered().of(rank, all.group(), all.channel(), all.sequence());
  }

  private static void checkSound(Group group, GatheredParts gathered) throws MillraceException {
    boolean sound = gathered.isSound() && gathered.end() <= group.size;
    for (int rank = gathered.first(); sound && rank < gathered.end(); rank++) {
      sound = group.member(rank).isPresent();
    }
    if (!sound) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "rank %s of group %s speaks for ranks to %s, of which some are not in it"
              .formatted(gathered.first(), group.id, gathered.end() - 1));
    }
  }

  void onWithdraw(Peer from, CoordinatorRequest.Withdraw withdraw, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, withdraw.group(), withdraw.rank());
    MeetingChannel channel =
        withdraw.channel() == 0
            ? member.group.channel
            : Optional.ofNullable(member.group.opens.get(withdraw.channel()))
                .map(Open::channel)
                .orElse(member.group.channel);
    if (channel.number != withdraw.channel()) {
      return;
    }
    Optional<Meeting> found = channel.meeting(withdraw.sequence());
    if (found.isEmpty() || found.get().error().isPresent() || !found.get().has(member.rank)) {
      return;
    }
    Meeting meeting = found.get();
    String missing = Agreement.ranks(meeting.missingRanks());
    fail(
        meeting,
        new DeadlineException(
            member + " gave up waiting in " + meeting.title() + "; " + missing + " did not arrive"),
        answers);
  }

  /** Fails what needs a member that has just left. */
  void onLeft(GroupMember member, DeferredReplies answers) {
    for (MeetingChannel channel : member.group.channels()) {
      for (Meeting meeting : channel.meetings()) {
        boolean failed = meeting.error().isPresent();
        boolean partIsIn = meeting.has(member.rank) && "".equals(member.leftBecause);
        if (!failed && !partIsIn) {
          fail(meeting, rankFailed(member, meeting.title()), answers);
        } else if (failed) {
          endIfComplete(meeting);
        }
      }
    }
    effects.letGo(this, member.group, answers);
  }

  /** Fails the open meetings of a group that is being regrouped. */
  void onRevoked(Group group, DeferredReplies answers) {
    for (MeetingChannel channel : group.channels()) {
      for (Meeting meeting : channel.meetings()) {
        fail(meeting, cannotMeet(group, meeting.title()).orElseThrow(), answers);
      }
    }
    effects.letGo(this, group, answers);
  }

  /** Why no new meeting of a group can succeed, if that is so. */
  private static Optional<MillraceException> cannotMeet(Group group, String title) {
    if (group.firstLeft().isPresent()) {
      return Optional.of(rankFailed(group.firstLeft().get(), title));
    }
    return group
        .firstRevoker()
        .map(by -> new RankFailedException(by + " forms a new group and cannot join " + title));
  }

  /** Fails whatever still gathers on a channel that is going away. */
  void onChannelClosed(MeetingChannel channel, String reason, DeferredReplies answers) {
    for (Meeting meeting : channel.meetings()) {
      if (meeting.error().isEmpty()) {
        fail(
            meeting,
            new MillraceException(ErrorCode.CLOSED, meeting.title() + ": " + reason),
            answers);
      }
    }
  }

  /**
   * Fails a meeting for all ranks that have arrived; those that arrive later get the same error.
   */
  void fail(Meeting meeting, MillraceException error, DeferredReplies answers) {
    if (meeting.error().isPresent()) {
      return;
    }
    meeting.fail(error);
    noteLetGo(meeting);
    for (MeetingPart part : meeting.parts()) {
      graph.end(part);
      answers.fail(part.replyTo(), error);
    }
    for (ReplyTo one : meeting.proxies()) {
      answers.fail(one, error);
    }
    endIfComplete(meeting);
  }

  /** A close that fails because the group is not whole is a wish that is remembered. */
  private static void noteLetGo(Meeting meeting) {
    if (meeting.error().orElse(null) instanceof RankFailedException) {
      meeting.parts().forEach(part -> noteLetGo(part.member(), part.meet()));
    }
  }

  private static void noteLetGo(GroupMember member, CoordinatorRequest.Meet meet) {
    if (meet.effect() instanceof Effect.Close(long number)) {
      Open open = member.group.opens.get(number);
      if (open != null) {
        open.letGoBy().add(member.rank);
      }
    }
  }

  private void decide(Meeting meeting, DeferredReplies answers) {
    for (MeetingPart part : meeting.parts()) {
      Failure failure = part.meet().failure();
      ErrorCode code = failure.code();
      if (code != null) {
        var told = MillraceException.of(code, part.member().rank, failure.message());
        answerAll(meeting.parts(), told.withDetail(failure.detail()), answers);
        return;
      }
    }
    try {
      effects.decide(this, meeting, answers);
    } catch (MillraceException e) {
      answerAll(meeting.parts(), e, answers);
    } catch (RuntimeException e) { // a bug: all ranks get the error, and none waits
      MillraceException told =
          new MillraceException(ErrorCode.PROTOCOL, "the coordinator failed: " + e, e);
      answerAll(meeting.parts(), told, answers);
    }
  }

  static void answerAll(List<MeetingPart> parts, MillraceException error, DeferredReplies answers) {
    for (MeetingPart part : parts) {
      answers.fail(part.replyTo(), error);
    }
  }

  private static MeetingChannel requireChannel(Group group, long number) throws MillraceException {
    if (number == 0) {
      return group.channel;
    }
    Open open = group.opens.get(number);
    if (open == null) {
      throw new MillraceException(
          ErrorCode.CLOSED, "group " + group.id + " has no open file " + number);
    }
    return open.channel();
  }

  private Meeting requireMeeting(
      GroupMember member, MeetingChannel channel, CoordinatorRequest.Meet meet, boolean direct)
      throws MillraceException {
    Optional<Meeting> found = channel.meeting(meet.sequence());
    if (meet.sequence() < 0
        || channel.isOver(meet.sequence())
        || direct && found.isPresent() && found.get().hasDirect(member.rank)) {
      throw new MillraceException(
          ErrorCode.INVALID,
          member + " arrived twice at " + Meeting.title(meet.call(), channel, meet.sequence()));
    }
    if (found.isPresent()) {
      return found.get();
    }
    Optional<MillraceException> cannot =
        cannotMeet(member.group, Meeting.title(meet.call(), channel, meet.sequence()));
    if (cannot.isPresent()) {
      throw cannot.get();
    }
    Meeting made = new Meeting(member.group, channel, meet.sequence());
    channel.add(made);
    addClosed(made);
    return made;
  }

  /** Ranks that closed a file alone before the coordinator was restarted have come to its close. */
  private void addClosed(Meeting meeting) {
    Open open = meeting.group.opens.get(meeting.channel.number);
    if (open == null) {
      return;
    }
    for (int rank : open.letGoBy()) {
      Optional<GroupMember> closer = meeting.group.member(rank);
      if (closer.isPresent()) {
        var close =
            new CoordinatorRequest.Meet(
                meeting.group.id,
                rank,
                open.number(),
                meeting.sequence,
                "close",
                0,
                "",
                0,
                new Effect.Close(open.number()),
                Failure.NONE,
                false);
        meeting.addFor(
            new MeetingPart(
                this, meeting, closer.get(), close, MeetingPart.NOBODY, env.nanoTime()));
      }
    }
  }

  private static void endIfComplete(Meeting meeting) {
    if (meeting.isComplete()) {
      meeting.channel.end(meeting);
      if (isGathered(meeting)) {
        MeetingOutcome failed = new MeetingOutcome(List.of());
        meeting.error().ifPresent(failed::fail);
        meeting.channel.remember(meeting.sequence, failed);
      }
    }
  }

  private static MillraceException mixed(Meeting meeting) {
    return new MixedCallException(
        "ranks of group "
            + meeting.group.id
            + " called different things at #"
            + meeting.sequence
            + (meeting.channel.number == 0 ? "" : " on open " + meeting.channel.number)
            + ": "
            + Agreement.callsByRank(meeting));
  }

  private static MillraceException rankFailed(GroupMember member, String title) {
    String reason = member.leftBecause == null ? "" : member.leftBecause;
    return new RankFailedException(
        member
            + " has ended"
            + (reason.isEmpty() ? "" : " (" + reason + ")")
            + " and cannot join "
            + title);
  }
}
