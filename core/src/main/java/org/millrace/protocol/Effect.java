package org.millrace.protocol;

import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.group.Reach;

/** What a meeting changes, once, when all ranks have arrived and agreed. */
public sealed interface Effect {

  /** Same kind, and same in all but what each rank may say for itself. */
  default boolean agrees(Effect other) {
    return switch (this) {
      case None _ -> other instanceof None;
      case Take x ->
          other instanceof Take y
              && x.pointer() == y.pointer()
              && x.once() == y.once()
              && x.follower() == y.follower();
      case Set x -> x.equals(other);
      case Open x -> x.equals(other);
      case Close x -> x.equals(other);
      case Split _ -> other instanceof Split;
      case Exchange _ -> other instanceof Exchange;
    };
  }

  /** Nothing but the meeting itself. */
  record None() implements Effect {}

  /**
   * Takes a range of a shared pointer: {@code base = max(pointer, floor)}; the pointer moves on
   * from there by the sum of all ranks' values, or by one rank's value if {@code once} (then all
   * values must be equal, which {@code argument} makes sure), but not beyond {@code limit}, nor
   * backwards. {@code floor} and {@code limit} are the largest that any rank gave. If anything was
   * taken, {@code follower} is set to where the pointer then stands.
   *
   * @param follower another pointer, or 0 if none follows
   */
  record Take(long pointer, boolean once, long floor, long limit, long follower) implements Effect {

    /** Without a pointer that follows. */
    public Take(long pointer, boolean once, long floor, long limit) {
      this(pointer, once, floor, limit, 0);
    }
  }

  /** Sets a shared pointer. */
  record Set(long pointer, long value) implements Effect {}

  /** Opens a file for the group; answered by {@link CoordinatorReply.Opened}. */
  record Open(String path, OpenFlags flags) implements Effect {}

  /**
   * Closes an open file of the group: its channel and pointers are gone. Answered by {@link
   * CoordinatorReply.Met} with base 1 if that removed the file's name (it was opened with {@code
   * deleteOnClose} and this was its last open), so that the group removes the strands; else base 0.
   */
  record Close(long open) implements Effect {}

  /**
   * Splits the group by {@code color}, ranks of one color ordered by {@code key}, then by old rank;
   * a negative color gets no group. Answered by {@link CoordinatorReply.Split}.
   */
  record Split(int color, int key) implements Effect {}

  /**
   * Tells every rank what all ranks want; answered by {@link CoordinatorReply.Exchanged}.
   *
   * @param access what this rank wants
   * @param reachable whether other threads may touch this rank's memory
   * @param remote whether some of the file's strands lie in another process than this rank
   * @param reach how this rank reaches such strands
   * @param size how large this rank knows the file to be at least, where its access asks for that
   * @param array the array of which this rank wants a part, if the file is one to it
   */
  record Exchange(
      Access access,
      boolean reachable,
      boolean remote,
      Reach reach,
      long size,
      Optional<Geometry> array)
      implements Effect {}
}
