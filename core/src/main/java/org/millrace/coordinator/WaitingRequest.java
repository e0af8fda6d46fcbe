package org.millrace.coordinator;

import java.util.List;
import org.millrace.error.MillraceException;

/** A request that waits for other ranks. Guarded by the coordinator's lock. */
sealed interface WaitingRequest permits MeetingPart, LockRequest, RegroupWaiter, WaitDeclaration {

  /** The waiting member. */
  GroupMember member();

  /** What it waits in, for people. */
  String call();

  /** Since when. */
  long sinceNanos();

  /** Whether the sender declared that its rank does nothing else meanwhile. */
  boolean alone();

  /** What is waited at; two requests with the same place wait for the same members. */
  Object place();

  /** All of whom it waits for; it goes on only when each of them has done something. */
  List<GroupMember> waitsFor();

  /** Ends the wait, and those that end with it, with an error. */
  void fail(MillraceException error, DeferredReplies answers);
}
