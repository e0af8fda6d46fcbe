package org.millrace.env;

/**
 * One instant that a thread of a {@link SeededEnv} waits for. Ordered by instant, then by making.
 * Touched as the environment's own fields are.
 */
final class SeededTimer implements Comparable<SeededTimer> {

  final long at;
  final Thread thread;
  final boolean interrupts;
  private final long number;
  boolean fired;

  SeededTimer(long at, long number, Thread thread, boolean interrupts) {
    this.at = at;
    this.number = number;
    this.thread = thread;
    this.interrupts = interrupts;
  }

  @Override
  public int compareTo(SeededTimer other) {
    return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
  }
}
