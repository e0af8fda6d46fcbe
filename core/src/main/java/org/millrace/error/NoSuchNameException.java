package org.millrace.error;

/** No file or directory of this name. */
public final class NoSuchNameException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public NoSuchNameException(String message) {
    super(ErrorCode.NO_SUCH_NAME, message);
  }
}
