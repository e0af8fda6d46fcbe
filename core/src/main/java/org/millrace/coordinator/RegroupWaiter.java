package org.millrace.coordinator;

import java.util.List;
import org.millrace.error.MillraceException;
import org.millrace.message.ReplyTo;

/**
 * A rank that waits to regroup.
 *
 * @param regroups where that is kept
 * @param regrouping what it has come to
 * @param member the waiting member
 * @param replyTo where it waits
 * @param sinceNanos since when
 */
record RegroupWaiter(
    Regroups regroups, Regrouping regrouping, GroupMember member, ReplyTo replyTo, long sinceNanos)
    implements WaitingRequest {

  @Override
  public String call() {
    return "regroup";
  }

  /** Never part of a cycle: its wait ends by a timeout. */
  @Override
  public boolean alone() {
    return false;
  }

  @Override
  public Object place() {
    return regrouping;
  }

  @Override
  public List<GroupMember> waitsFor() {
    return regrouping.missing();
  }

  @Override
  public void fail(MillraceException error, DeferredReplies answers) {
    regroups.fail(regrouping, error, answers);
  }

  // Identity: the same rank may ask twice.

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
