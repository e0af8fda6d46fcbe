package org.millrace.protocol;

import java.util.List;
import org.millrace.files.ByteLock;

/** What a session tells a coordinator that was restarted: the parts of a Recall. */
public final class Recalled {

  private Recalled() {}

  /** A group that the session formed and has not joined yet: others may still join it, too. */
  public record Formed(long group, int size) {}

  /**
   * The session is a rank of a group.
   *
   * @param group the group
   * @param size how many ranks it has
   * @param rank which of them it is
   * @param root the group that this one was made from, at once or in steps
   * @param job what the group was assembled as; empty if it was not
   * @param inbox where the rank listens; empty if it does not
   */
  public record Place(long group, int size, int rank, long root, String job, String inbox) {}

  /**
   * A file that a group has open.
   *
   * @param group the group
   * @param flags how it was opened
   * @param opened what the session was told then
   * @param capability the last one that it was given; sealed, so it proves the open
   * @param delegated whether the session may keep bytes of the file by this open
   */
  public record Opening(
      long group,
      OpenFlags flags,
      CoordinatorReply.Opened opened,
      Capability capability,
      boolean delegated) {

    /** One that gives no right to keep bytes. */
    public Opening(
        long group, OpenFlags flags, CoordinatorReply.Opened opened, Capability capability) {
      this(group, flags, opened, capability, false);
    }
  }

  /**
   * A shared pointer.
   *
   * @param key its key
   * @param value where it stood after the session last moved it, or saw it moved
   * @param stamp when that was, as {@link org.millrace.message.Endpoint#stamp} says; {@link
   *     #FROZEN} if it was found in memory in which nobody moves it any more
   * @param open the open file whose synchronizing call moved it there last, if it is known
   * @param sequence the number of that call
   */
  public record Pointer(long key, long value, long stamp, long open, long sequence) {

    /** The stamp of a value that is the last one for all who moved the pointer. */
    public static final long FROZEN = Long.MAX_VALUE;

    /** The stamp of a value of which it is not known whether it was before or after a setting. */
    public static final long UNSURE = -1;

    /** The same as known to a coordinator that was told of it: before all that it stamps. */
    public Pointer thawed() {
      return new Pointer(key, value, 0, open, sequence);
    }
  }

  /**
   * A lock that the session holds.
   *
   * @param number the lock's
   * @param lock what it asked for
   */
  public record HeldLock(long number, CoordinatorRequest.Lock lock) {}

  /** A range that the session has locked through an open of its own. */
  public record HeldBytes(long open, ByteLock lock) {}

  /**
   * What came of a synchronizing call.
   *
   * @param group the group that met
   * @param channel as in {@link CoordinatorRequest.Meet}
   * @param sequence as in {@link CoordinatorRequest.Meet}
   * @param told what it was answered
   */
  public record Outcome(long group, long channel, long sequence, Told told) {}

  /** A synchronizing call that a rank has made and of which it has not heard the outcome. */
  public record Call(long group, int rank, long channel, long sequence) {}

  /**
   * A rank's part in a split. From the parts of all ranks, and one number that was told, follows
   * what all were told.
   *
   * @param group the group that was split
   * @param rank the rank in it
   * @param sequence the number of the call
   * @param color as in {@link Effect.Split}
   * @param key as in {@link Effect.Split}
   * @param told the group in the answer; {@link #UNANSWERED} if there was none
   */
  public record SplitPart(long group, int rank, long sequence, int color, int key, long told) {

    /** The rank has heard nothing, and asks again. */
    public static final long UNANSWERED = -1;
  }

  /**
   * A rank's part in a group that goes on as another one.
   *
   * @param group the group as it was
   * @param rank the rank in it
   * @param made the new group; {@link #UNANSWERED} if the rank has heard of none
   * @param former the old number of each of its ranks
   */
  public record RegroupPart(long group, int rank, long made, List<Integer> former) {

    /** The rank has heard nothing, and asks again. */
    public static final long UNANSWERED = -1;

    /** Keeps a copy of the list. */
    public RegroupPart {
      former = List.copyOf(former);
    }
  }

  /** An answer to a synchronizing call. */
  public sealed interface Told {

    /** All met. */
    record Met(CoordinatorReply.Met met) implements Told {}

    /** All met and know what all want. */
    record Exchanged(CoordinatorReply.Exchanged exchanged) implements Told {}

    /** The same, as a digest. */
    record Digested(CoordinatorReply.Digested digested) implements Told {}

    /** A file was opened. */
    record Opened(OpenFlags flags, CoordinatorReply.Opened opened) implements Told {}

    /** The group was split; each rank was told something else. */
    record Split() implements Told {}

    /** It failed. */
    record Failed(Failure failure) implements Told {}
  }
}
