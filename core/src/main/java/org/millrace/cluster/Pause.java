package org.millrace.cluster;

import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Waits between two checks of something that others change. */
public final class Pause {

  private Pause() {}

  /** Sleeps; fails with CLOSED if the thread is interrupted. */
  public static void of(Env env, long nanos) throws MillraceException {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.CLOSED, "interrupted", e);
    }
  }
}
