package org.millrace.heritage.cio;

import java.io.IOException;

/** An access without the token, or participants that open a file in different modes. */
public final class CioException extends IOException {

  private static final long serialVersionUID = 1;

  CioException(String message) {
    super(message);
  }
}
