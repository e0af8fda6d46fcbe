package org.millrace.client;

/**
 * What a participant may take and how long it waits.
 *
 * @param operationNanos longest time of one request to a node or the coordinator
 * @param meetingNanos longest time that a synchronizing call waits for other ranks, or for a lock
 * @param operations asynchronous operations under way at once; one more waits for its turn
 * @param mailboxBytes received and not yet taken; more waits at the sender
 */
public record Limits(long operationNanos, long meetingNanos, int operations, long mailboxBytes) {

  private static final long SECOND = 1_000_000_000L;

  /** A minute for a request, ten for a meeting, 64 operations, 64 MiB. */
  public static final Limits DEFAULT = new Limits(60 * SECOND, 600 * SECOND, 64, 64L << 20);

  /** Checks the bounds. */
  public Limits {
    if (operationNanos < 1 || meetingNanos < 1 || operations < 1 || mailboxBytes < 0) {
      throw new IllegalArgumentException(
          "limits must be positive: operation %d ns, meeting %d ns, %d operations, mailbox %d bytes"
              .formatted(operationNanos, meetingNanos, operations, mailboxBytes));
    }
  }

  /** The same with another longest time of synchronizing calls. */
  public Limits withMeetingNanos(long nanos) {
    return new Limits(operationNanos, nanos, operations, mailboxBytes);
  }
}
