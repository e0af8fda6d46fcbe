package org.millrace.examples;

import java.io.IOException;

/** A run of {@link Matmul} cannot do what was asked, or came out wrong; the message says why. */
public final class MatmulException extends IOException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public MatmulException(String message) {
    super(message);
  }
}
