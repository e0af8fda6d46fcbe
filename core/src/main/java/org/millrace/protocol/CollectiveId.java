package org.millrace.protocol;

/**
 * Identifies a collective call: the sequence number of its begin on a channel of a group.
 *
 * @param group the group
 * @param channel the channel, that of an open file
 * @param sequence the number of its begin
 * @param round which part of a call that is carried out in several
 */
public record CollectiveId(long group, long channel, long sequence, long round) {

  /** A call, or its first round. */
  public CollectiveId(long group, long channel, long sequence) {
    this(group, channel, sequence, 0);
  }

  /** A round of the same call. */
  public CollectiveId inRound(long number) {
    return new CollectiveId(group, channel, sequence, number);
  }
}
