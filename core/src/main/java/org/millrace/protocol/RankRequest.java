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
   * @param letter number of the message among all of its sender
   */
  record Deliver(long group, int from, long tag, long letter) implements RankRequest {}

  /**
   * Takes a message back that was delivered and not yet received, because its sender's time is up:
   * its {@link Deliver} then fails. Answered by {@link Taken}, also if there is none any more.
   */
  record Withdraw(long group, int from, long letter) implements RankRequest {}

  /** The payload was taken. */
  record Taken() implements Message {}
}
