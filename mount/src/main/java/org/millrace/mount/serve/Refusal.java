package org.millrace.mount.serve;

import java.io.IOException;
import org.millrace.mount.system.Errno;

/** A request that the mount itself refuses. It has no stack: it is an answer, not a surprise. */
final class Refusal extends IOException {

  private static final long serialVersionUID = 1;

  private final Errno errno;

  Refusal(Errno errno) {
    super(errno.name());
    this.errno = errno;
  }

  Errno errno() {
    return errno;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
