package org.millrace.sim.hunt;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Runs seeds in a process of its own, and prints the hash of each. Stateless. */
final class HuntChild {

  private HuntChild() {}

  /** Arguments are seeds. */
  public static void main(String[] seeds) {
    Logger notices = Logger.getLogger("org.millrace");
    notices.setLevel(Level.OFF);
    for (String seed : seeds) {
      System.out.println(Hunt.run(Long.parseLong(seed)).traceHash());
    }
  }
}
