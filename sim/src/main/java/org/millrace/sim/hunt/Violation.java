package org.millrace.sim.hunt;

/** A checker found a result that no allowed execution explains. */
final class Violation extends Error {

  private static final long serialVersionUID = 1;

  Violation(String what) {
    super(what);
  }

  Violation(String what, Throwable cause) {
    super(what, cause);
  }
}
