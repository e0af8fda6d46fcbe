package org.millrace.cli.doctor;

/**
 * What was found about one thing. Immutable.
 *
 * @param topic the thing
 * @param level how good that is
 * @param found what was found
 * @param advice what to change; empty if nothing
 */
record Finding(String topic, Level level, String found, String advice) {

  /** How good something is. */
  enum Level {
    /** As it should be. */
    OK,
    /** Works, but something is slower, missing or not as safe. */
    WARN,
    /** Millrace does not work with this. */
    FAIL
  }

  static Finding ok(String topic, String found) {
    return new Finding(topic, Level.OK, found, "");
  }

  static Finding warn(String topic, String found, String advice) {
    return new Finding(topic, Level.WARN, found, advice);
  }

  static Finding fail(String topic, String found, String advice) {
    return new Finding(topic, Level.FAIL, found, advice);
  }
}
