package org.millrace.cli.judge;

import java.util.Locale;

/**
 * How one test of a judge ended. Immutable.
 *
 * @param test its name
 * @param ending how it ended
 * @param reason why it was not passed; empty if it was, or if nobody has argued a failure yet
 */
record Outcome(String test, Ending ending, String reason) {

  /** How a test ends. */
  enum Ending {
    /** As the judge wants it. */
    PASSED,
    /** Otherwise, and a written reason says why that is right, or cannot be helped. */
    FAILED,
    /** Otherwise, and nobody has said why; or it was expected to fail, and did not. */
    UNEXPECTED,
    /** Not run: what it needs is not there, or not offered. */
    SKIPPED;

    String shown() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Outcome passed(String test) {
    return new Outcome(test, Ending.PASSED, "");
  }

  static Outcome failed(String test, String reason) {
    return new Outcome(test, Ending.FAILED, reason);
  }

  static Outcome unexpected(String test, String reason) {
    return new Outcome(test, Ending.UNEXPECTED, reason);
  }

  static Outcome skipped(String test, String reason) {
    return new Outcome(test, Ending.SKIPPED, reason);
  }
}
