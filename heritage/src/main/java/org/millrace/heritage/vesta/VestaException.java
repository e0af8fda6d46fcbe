package org.millrace.heritage.vesta;

import java.io.IOException;

/** What Vesta's SPMD library refuses; thrown on all processes. */
public final class VestaException extends IOException {

  private static final long serialVersionUID = 1;

  VestaException(String message) {
    super(message);
  }
}
