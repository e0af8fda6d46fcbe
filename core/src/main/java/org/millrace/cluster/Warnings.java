package org.millrace.cluster;

import java.util.List;

/**
 * Warnings for users. They go to the logger {@value #LOGGER}, which by default prints to standard
 * error. Stateless.
 */
public final class Warnings {

  static final String LOGGER = "org.millrace";

  private Warnings() {}

  /** Logs each of them as a warning. */
  public static void log(List<String> warnings) {
    System.Logger logger = System.getLogger(LOGGER);
    warnings.forEach(one -> logger.log(System.Logger.Level.WARNING, one));
  }
}
