package org.millrace.error;

/**
 * Ranks wait for each other in a circle: the message spells out the circle. If it is one of locks,
 * only the rank that closed it is told.
 */
public final class DeadlockException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public DeadlockException(String message) {
    super(ErrorCode.DEADLOCK, message);
  }
}
