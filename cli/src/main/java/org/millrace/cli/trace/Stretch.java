package org.millrace.cli.trace;

/**
 * What a rank did for some time, as a recording has it. Immutable.
 *
 * @param phase what kind it was
 * @param lane whose
 * @param call what the rank had called
 * @param file the file's path; empty if it is not about one
 * @param strategy of a transfer
 * @param plan of a transfer
 * @param bytes that the rank wanted or moved
 * @param from when it began, in nanoseconds since 1970
 * @param to when it ended
 */
record Stretch(
    Phase phase,
    Lane lane,
    String call,
    String file,
    String strategy,
    String plan,
    long bytes,
    long from,
    long to) {

  /** A row of the picture. */
  record Lane(long group, int rank) implements Comparable<Lane> {

    @Override
    public int compareTo(Lane other) {
      int groups = Long.compare(group, other.group);
      return groups != 0 ? groups : Integer.compare(rank, other.rank);
    }
  }

  /** A kind of work, in the order in which it is drawn: what comes later lies on top. */
  enum Phase {
    COLLECTIVE("millrace.Collective"),
    MEETING("millrace.Meeting"),
    TRANSFER("millrace.Transfer");

    private final String event;

    Phase(String event) {
      this.event = event;
    }

    /** Its event's name. */
    String event() {
      return event;
    }
  }

  long nanos() {
    return to - from;
  }
}
