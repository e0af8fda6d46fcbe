package org.millrace.examples;

import java.io.IOException;

/** A run of {@link Heat} cannot do what was asked; the message says why and what to do. */
public final class HeatException extends IOException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public HeatException(String message) {
    super(message);
  }
}
