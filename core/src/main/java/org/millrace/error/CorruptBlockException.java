package org.millrace.error;

/** Stored bytes are not what was written: the message names file, strand and block. */
public final class CorruptBlockException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public CorruptBlockException(String message) {
    super(ErrorCode.CORRUPT, message);
  }
}
