package org.millrace.heritage.ncube;

import java.io.IOException;

/** Processing elements that open a file together do not agree; thrown on all of them. */
public final class NcubeException extends IOException {

  private static final long serialVersionUID = 1;

  NcubeException(String message) {
    super(message);
  }
}
