package org.millrace.server;

import java.io.IOException;

/** A request that is answered with an error of HTTP's own, not with one of the cluster's. */
final class Refusal extends IOException {

  private static final long serialVersionUID = 1;

  private final int status;

  Refusal(int status, String message) {
    super(message);
    this.status = status;
  }

  /** The status of HTTP. */
  int status() {
    return status;
  }
}
