package org.millrace.heritage.piofs;

import java.io.IOException;

/** What PIOFS refuses; thrown on all tasks. */
public final class PiofsException extends IOException {

  private static final long serialVersionUID = 1;

  PiofsException(String message) {
    super(message);
  }
}
