package org.millrace.error;

/** A rank died, threw or left while others needed it: the message names the rank and the call. */
public final class RankFailedException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public RankFailedException(String message) {
    super(ErrorCode.RANK_FAILED, message);
  }
}
