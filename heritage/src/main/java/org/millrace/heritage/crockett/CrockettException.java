package org.millrace.heritage.crockett;

import java.io.IOException;

/** An access to what belongs to another process, or processes that open a file differently. */
public final class CrockettException extends IOException {

  private static final long serialVersionUID = 1;

  CrockettException(String message) {
    super(message);
  }
}
