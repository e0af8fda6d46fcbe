package org.millrace.sim.kotz;

/**
 * What an application that computes on the nodes suffers from. Immutable.
 *
 * @param switchNanos what an interruption costs it beside the time that the interruption takes
 * @param intervalNanos how much it computes between two meetings, if it synchronizes
 */
public record Computing(long switchNanos, long intervalNanos) {

  /** Seed 003's: 50 microseconds, 5 ms. */
  public static final Computing PAPER = new Computing(50_000, 5_000_000);

  /**
   * Today's: 5 microseconds; and meetings as often as the shorter runs need for there to be some.
   */
  public static final Computing TODAY = new Computing(5_000, 100_000);

  /** Checks the bounds. */
  public Computing {
    if (switchNanos < 0 || intervalNanos < 1) {
      throw new IllegalArgumentException(
          "a switch of %s ns, an interval of %s ns".formatted(switchNanos, intervalNanos));
    }
  }
}
