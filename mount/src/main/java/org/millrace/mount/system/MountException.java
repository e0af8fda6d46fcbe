package org.millrace.mount.system;

import java.io.IOException;

/** Mounting or unmounting failed; the message says what to do. */
public final class MountException extends IOException {

  private static final long serialVersionUID = 1;

  /** With what to do. */
  public MountException(String message) {
    super(message);
  }
}
