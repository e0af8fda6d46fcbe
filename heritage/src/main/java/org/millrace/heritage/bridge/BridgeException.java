package org.millrace.heritage.bridge;

import java.io.IOException;

/** An operation of a job that its processes cannot do together; thrown on all of them. */
public final class BridgeException extends IOException {

  private static final long serialVersionUID = 1;

  BridgeException(String message) {
    super(message);
  }
}
