package org.millrace.client;

/**
 * What a participant may take and how long it waits.
 *
 * @param operationNanos longest time of one request to a node or the coordinator
 * @param meetingNanos longest time that a synchronizing call waits for other ranks, or for a lock
 * @param operations asynchronous operations under way at once; one more waits for its turn
 * @param mailboxBytes received and not yet taken; more waits at the sender
 * @param fanOut how many ranks come to a meeting by way of one other, or right to the coordinator;
 *     all ranks of a program should have the same
 */
public record Limits(
    long operationNanos, long meetingNanos, int operations, long mailboxBytes, int fanOut) {

  /** As many as a message to each takes about as long as one more level of the tree. */
  private static final int FAN_OUT = 16;

  private static final long SECOND = 1_000_000_000L;

  /** A minute for a request, ten for a meeting, 64 operations, 64 MiB. */
  public static final Limits DEFAULT = new Limits(60 * SECOND, 600 * SECOND, 64, 64L << 20);

  /** Checks the bounds. */
  public Limits {
    if (operationNanos < 1
        || meetingNanos < 1
        || operations < 1
        || mailboxBytes < 0
        || fanOut < 1) {
      throw new IllegalArgumentException(
          "limits must be positive: operation %s ns, meeting %s ns, %s operations, "
                  .formatted(operationNanos, meetingNanos, operations)
              + "mailbox %s bytes, fan-out %s".formatted(mailboxBytes, fanOut));
    }
  }

  /** With the usual fan-out. */
  public Limits(long operationNanos, long meetingNanos, int operations, long mailboxBytes) {
    this(operationNanos, meetingNanos, operations, mailboxBytes, FAN_OUT);
  }

  /** The same with another longest time of synchronizing calls. */
  public Limits withMeetingNanos(long nanos) {
    return new Limits(operationNanos, nanos, operations, mailboxBytes, fanOut);
  }

  /** The same with another fan-out. */
  public Limits withFanOut(int ranks) {
    return new Limits(operationNanos, meetingNanos, operations, mailboxBytes, ranks);
  }
}
