package org.millrace.coordinator;

import java.util.List;
import org.millrace.error.MillraceException;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;

/**
 * A lock that is requested or held.
 *
 * @param locks where it is kept
 * @param name what it locks
 * @param number its number, given when it was asked for
 * @param member the requesting member
 * @param lock what for
 * @param replyTo where the grant goes
 * @param sinceNanos when it was asked for
 */
record LockRequest(
    Locks locks,
    LockName name,
    long number,
    GroupMember member,
    CoordinatorRequest.Lock lock,
    ReplyTo replyTo,
    long sinceNanos)
    implements WaitingRequest {

  /** Whether both cannot be held at the same time. */
  boolean conflictsWith(LockRequest other) {
    return !(lock.shared() && other.lock.shared())
        && lock.from() < other.lock.to()
        && other.lock.from() < lock.to();
  }

  @Override
  public String call() {
    boolean plain = lock.from() == 0 && lock.to() == Long.MAX_VALUE;
    return (lock.shared() ? "shared lock " : "lock ")
        + Paths.show(lock.name())
        + (plain ? "" : " of " + lock.from() + ".." + (lock.to() - 1));
  }

  @Override
  public boolean alone() {
    return lock.alone();
  }

  @Override
  public Object place() {
    return this;
  }

  @Override
  public List<GroupMember> waitsFor() {
    return locks.blockersOf(this, false);
  }

  /** As {@link #waitsFor}, without holders that are about to release their lock. */
  List<GroupMember> lastingBlockers() {
    return locks.blockersOf(this, true);
  }

  @Override
  public void fail(MillraceException error, DeferredReplies answers) {
    locks.fail(this, error, answers);
  }

  // Identity: the same words asked twice are two requests.

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }
}
