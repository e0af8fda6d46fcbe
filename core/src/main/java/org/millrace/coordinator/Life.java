package org.millrace.coordinator;

import org.millrace.env.Env;

/**
 * One life of a coordinator, from its start to its end. Numbers that it gives to sessions, groups,
 * opens and locks begin above all that earlier lives gave, so that none is ever given twice. To a
 * coordinator in one JVM with its clients nobody comes back: everything ends with it.
 *
 * @param number from 1; 0 where lives do not matter
 * @param graceNanos how long sessions of the life before may come back; 0 if none can
 */
record Life(long number, long graceNanos) {

  /** Numbers begin at 1. */
  static final Life ONLY = new Life(0, 0);

  private static final int NUMBER_BITS = 32;

  /** The life that begins on what {@code names} tell of the one before, which may have crashed. */
  static Life begun(Names names, NameChange.Life before, CoordinatorOptions options) {
    boolean nobodyReturns = before.ended() || options.secret().isEmpty();
    return new Life(names.life().number(), nobodyReturns ? 0 : options.graceNanos());
  }

  /** The first number of this life, of whatever it is. */
  long firstNumber() {
    return (number << NUMBER_BITS) + 1;
  }

  /** The life that gave a number. */
  static long of(long given) {
    return given >> NUMBER_BITS;
  }

  /** Whether an earlier life gave a number. */
  boolean isAfter(long given) {
    return given > 0 && of(given) < number;
  }

  /** When the time to come back is over. */
  long graceEndNanos(Env env) {
    return env.deadlineAfter(graceNanos);
  }
}
