package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.message.Message;

/**
 * Requests from one rank to another. The receiver may be in another process and sees only the part
 * of the payload that the request names, so each request contains the length of its payload.
 */
public sealed interface RankRequest extends Message {

  /**
   * Hands over a message. Answered when the receiver has buffered or received it. A receiver that
   * has no room for the bytes, or is not given them, gets them from the sender's inbox with the
   * verb {@code get}, the message id being the key.
   *
   * @param group the group in which both are ranks
   * @param from the sender's number there
   * @param tag chosen by the sender; negative tags belong to the group's own operations
   * @param messageId number of the message among all of its sender
   * @param bytes length of the message
   * @param participant the sender's number in its run
   * @param isWhole whether the payload is the message; otherwise there is none
   */
  record Deliver(
      long group, int from, long tag, long messageId, long bytes, int participant, boolean isWhole)
      implements RankRequest {

    /** Checks the length. */
    public Deliver {
      checkRange(0, bytes);
    }
  }

  /**
   * Says that a group's operation has failed at the sender, so that nobody waits for messages of
   * it. Answered by {@link Taken}.
   *
   * @param group the group
   * @param from the sender's number there
   * @param tag the operation's, negative
   * @param failure what happened
   */
  record Refuse(long group, int from, long tag, Failure failure) implements RankRequest {}

  /**
   * Takes a message back that was delivered and not yet received, because its sender's time is up:
   * its {@link Deliver} then fails. Answered by {@link Taken}, also if there is none any more.
   */
  record Withdraw(long group, int from, long messageId) implements RankRequest {}

  /**
   * Hands the receiver bytes that it wants, in a collective read. Answered by {@link Taken} when
   * they are where they belong.
   *
   * @param collective the call
   * @param piece which bytes
   */
  record Place(CollectiveId collective, Piece piece) implements RankRequest {}

  /**
   * Asks the receiver to put bytes that it gives into the payload, in a collective write. Other
   * bytes of the payload are not touched.
   *
   * @param collective the call
   * @param piece which bytes
   */
  record Fetch(CollectiveId collective, Piece piece) implements RankRequest {}

  /**
   * Tells an aggregator what the sender wants of its file domain, in a collective call of which
   * nobody knows everything. Answered by {@link Taken}.
   *
   * @param collective the call
   * @param rank the sender's number in the group
   * @param access all that it wants
   */
  record Want(CollectiveId collective, int rank, Access access) implements RankRequest {}

  /**
   * Consecutive positions of the receiver's view. Byte i of the payload is the i-th of them; where
   * it lies in the sender's memory the payload itself says.
   *
   * @param position the first
   * @param bytes how many
   */
  record Piece(long position, long bytes) {

    /** Checks the range. */
    public Piece {
      checkRange(position, bytes);
    }

    /** The positions from number {@code from} to before {@code to} of it. */
    Piece part(long from, long to) {
      return new Piece(position + from, to - from);
    }
  }

  /**
   * Brings what the sender and the ranks below it bring to a meeting, on its way to the
   * coordinator. Answered by what the coordinator answers to all ranks. If it fails, whatever the
   * error, the ranks of which it speaks come to the coordinator by themselves.
   *
   * @param meeting which
   * @param gathered what they bring; its first rank is the sender's
   */
  record Arrive(CollectiveId meeting, GatheredParts gathered) implements RankRequest {}

  /** The payload was taken. */
  record Taken() implements Message {}

  private static void checkRange(long from, long bytes) {
    if (from < 0 || bytes < 0 || from + bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes from " + from + " on are not a range");
    }
  }
}
