package org.millrace.error;

/** The name is taken. */
public final class NameExistsException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public NameExistsException(String message) {
    super(ErrorCode.NAME_EXISTS, message);
  }
}
