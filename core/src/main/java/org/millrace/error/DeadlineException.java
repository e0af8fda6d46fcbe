package org.millrace.error;

/** A deadline passed; whether the operation took effect is unknown unless the message says. */
public final class DeadlineException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public DeadlineException(String message) {
    super(ErrorCode.DEADLINE, message);
  }
}
