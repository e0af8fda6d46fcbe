package org.millrace;

import java.util.List;

/**
 * What users should know although nothing failed. It goes to the logger {@value #LOGGER}, which by
 * default prints to standard error. Stateless.
 */
final class Notices {

  static final String LOGGER = "org.millrace";

  private Notices() {}

  static void tell(List<String> notices) {
    System.Logger logger = System.getLogger(LOGGER);
    notices.forEach(one -> logger.log(System.Logger.Level.WARNING, one));
  }
}
