package org.millrace.wire;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A connection was refused: no process listens at its address, or the one that does has no endpoint
 * of the name. This is not said of a slow process, for which the kernel accepts connections.
 */
public final class NoListenerException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public NoListenerException(String message) {
    super(ErrorCode.NODE, message);
  }
}
