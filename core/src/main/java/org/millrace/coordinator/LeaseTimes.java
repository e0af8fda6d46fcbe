package org.millrace.coordinator;

/**
 * How fast a group of coordinators notices that its leader is gone. Immutable.
 *
 * @param electionMillis a member that has heard nothing for this long, and up to twice as long,
 *     stands for election
 * @param leaseMillis how long a leader may answer after most members have confirmed it
 * @param waitMillis how long a new leader waits before it answers: longer than a lease, because
 *     clocks may run at slightly different speeds
 */
public record LeaseTimes(int electionMillis, int leaseMillis, int waitMillis) {

  /** A leader that was killed is replaced within 2.5 s. */
  public static final LeaseTimes DEFAULT = new LeaseTimes(800, 600, 750);

  /** How often a lease is renewed. */
  int beatMillis() {
    return Math.max(1, leaseMillis / 4);
  }
}
