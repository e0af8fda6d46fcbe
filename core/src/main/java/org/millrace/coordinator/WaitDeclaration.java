package org.millrace.coordinator;

import java.util.List;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorRequest.Declare;

/**
 * A wait of a rank's own thread that is not a request: for a message, or for its own requests. It
 * blocks no other rank and cannot fail; it is only shown.
 *
 * @param member the waiting member
 * @param declare what it said
 * @param sinceNanos since when
 */
record WaitDeclaration(GroupMember member, Declare declare, long sinceNanos)
    implements WaitingRequest {

  @Override
  public String call() {
    return declare.call();
  }

  @Override
  public boolean alone() {
    return false;
  }

  @Override
  public Object place() {
    return this;
  }

  @Override
  public List<GroupMember> waitsFor() {
    if (declare.on() == Declare.NOBODY) {
      return List.of();
    }
    return member.group.joinedMembers().stream()
        .filter(other -> other != member && !other.hasLeft())
        .filter(other -> declare.on() == Declare.ANYBODY || other.rank == declare.on())
        .toList();
  }

  @Override
  public void fail(MillraceException error, DeferredReplies answers) {}

  // Identity: the same words said twice are two waits.

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
