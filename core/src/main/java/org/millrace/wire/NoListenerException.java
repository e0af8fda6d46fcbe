package org.millrace.wire;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A connection was refused: no process listens at the address, or the process there has no endpoint
 * of that name. A slow process does not cause this, because the kernel accepts connections for it.
 */
public final class NoListenerException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public NoListenerException(String message) {
    super(ErrorCode.NODE, message);
  }
}
