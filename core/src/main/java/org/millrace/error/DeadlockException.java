package org.millrace.error;

/** Locks wait for each other in a circle: the message spells out the circle. */
public final class DeadlockException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public DeadlockException(String message) {
    super(ErrorCode.DEADLOCK, message);
  }
}
