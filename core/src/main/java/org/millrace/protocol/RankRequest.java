package org.millrace.protocol;

import org.millrace.message.Message;

/** What one rank can ask of another. */
public sealed interface RankRequest extends Message {

  /**
   * Hands over the payload. Answered when the receiver has taken or buffered it.
   *
   * @param group the group in which both are ranks
   * @param from the sender's number there
   * @param tag chosen by the sender; negative tags belong to the group's own operations
   */
  record Deliver(long group, int from, long tag) implements RankRequest {}

  /** The payload was taken. */
  record Taken() implements Message {}
}
