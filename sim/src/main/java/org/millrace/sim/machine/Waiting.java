package org.millrace.sim.machine;

import org.millrace.env.Env;

/** Lets virtual time pass. No state. */
public final class Waiting {

  private Waiting() {}

  /** Waits for an instant; an interrupt is kept for later. */
  public static void until(Env env, long instant) {
    boolean interrupted = false;
    while (env.nanoTime() < instant) {
      try {
        env.sleep(instant - env.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
