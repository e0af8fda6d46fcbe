package org.millrace.coordinator;

import java.util.List;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest.Meet;

/**
 * One rank's part in a {@link Meeting}.
 *
 * @param meetings where the meeting is kept
 * @param meeting what it is part of
 * @param member whose part it is
 * @param meet what the rank said
 * @param replyTo where it waits
 * @param sinceNanos since when
 */
record MeetingPart(
    Meetings meetings,
    Meeting meeting,
    GroupMember member,
    Meet meet,
    ReplyTo replyTo,
    long sinceNanos)
    implements WaitingRequest {

  /** No receiver: another rank came on behalf of this one, and is answered separately. */
  static final ReplyTo NOBODY =
      new ReplyTo() {
        @Override
        public void reply(Message reply) {}

        @Override
        public void fail(MillraceException error) {}
      };

  @Override
  public String call() {
    return meeting.title();
  }

  @Override
  public boolean alone() {
    return meet.alone();
  }

  @Override
  public Object place() {
    return meeting;
  }

  @Override
  public List<GroupMember> waitsFor() {
    return meeting.missingMembers();
  }

  @Override
  public void fail(MillraceException error, DeferredReplies answers) {
    meetings.fail(meeting, error, answers);
  }

  /** The same, to be answered elsewhere. */
  MeetingPart withReplyTo(ReplyTo other) {
    return new MeetingPart(meetings, meeting, member, meet, other, sinceNanos);
  }

  // Identity: two parts are never the same because their words are.

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
