package org.millrace.error;

/**
 * Ranks of a group called different things or passed different arguments: the message says which
 * rank called what.
 */
public final class MixedCallException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public MixedCallException(String message) {
    super(ErrorCode.MIXED_CALL, message);
  }
}
