package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.message.Message;

/**
 * What one rank can ask of another. Who is asked may be in another process and sees the payload
 * only as far as the request speaks of it: so each says how long its payload is.
 */
public sealed interface RankRequest extends Message {

  /**
   * Hands over a message. Answered when the receiver has buffered or received it. A receiver that
   * has no room for the bytes, or is not given them, gets them from the sender's inbox with the
   * verb {@code get}, the letter being the key.
   *
   * @param group the group in which both are ranks
   * @param from the sender's number there
   * @param tag chosen by the sender; negative tags belong to the group's own operations
   * @param letter number of the message among all of its sender
   * @param bytes length of the message
   * @param participant the sender's number in its run
   * @param isWhole whether the payload is the message; otherwise there is none
   */
  record Deliver(
      long group, int from, long tag, long letter, long bytes, int participant, boolean isWhole)
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
   * @param trouble what happened
   */
  record Refuse(long group, int from, long tag, Trouble trouble) implements RankRequest {}

  /**
   * Takes a message back that was delivered and not yet received, because its sender's time is up:
   * its {@link Deliver} then fails. Answered by {@link Taken}, also if there is none any more.
   */
  record Withdraw(long group, int from, long letter) implements RankRequest {}

  /**
   * Hands the receiver what it wants of some bytes of a file, in a collective read. The payload is
   * those bytes; answered by {@link Taken} when the receiver has its pieces.
   *
   * @param collective the call
   * @param from file offset of the payload's first byte
   * @param bytes length of the payload
   * @param access what the receiver wants; only that of the payload is looked at
   */
  record Place(CollectiveId collective, long from, long bytes, Access access)
      implements RankRequest {

    /** Checks the range. */
    public Place {
      checkRange(from, bytes);
    }
  }

  /**
   * Asks the receiver to put its pieces of some bytes of a file into the payload, in a collective
   * write; as {@link Place} in the other direction. Other bytes of the payload are not touched if
   * the view ascends; else they may become anything.
   */
  record Fetch(CollectiveId collective, long from, long bytes, Access access)
      implements RankRequest {

    /** Checks the range. */
    public Fetch {
      checkRange(from, bytes);
    }
  }

  /**
   * Asks the receiver to put the bytes at {@code bytes} positions of its view, from {@code
   * position} on, into the payload, packed.
   */
  record FetchPacked(CollectiveId collective, long position, long bytes) implements RankRequest {

    /** Checks the range. */
    public FetchPacked {
      checkRange(position, bytes);
    }
  }

  /** The payload was taken. */
  record Taken() implements Message {}

  private static void checkRange(long from, long bytes) {
    if (from < 0 || bytes < 0 || from + bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes from " + from + " on are no range");
    }
  }
}
