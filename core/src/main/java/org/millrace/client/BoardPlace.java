package org.millrace.client;

import org.jspecify.annotations.Nullable;
import org.millrace.message.Board;
import org.millrace.message.Pending;
import org.millrace.protocol.BoardEntry;
import org.millrace.protocol.CoordinatorRequest.Meet;

/**
 * Where the calls of one channel meet on the board of a group. Immutable.
 *
 * @param board the group's
 * @param region the channel's part of it
 * @param before all calls of channels that used the region before have lower numbers
 * @param limit calls from this number on do not fit
 * @param check what the last rank to arrive at a call checks first; null if nothing
 */
record BoardPlace(Board board, int region, long before, long limit, @Nullable Check check) {

  /** Asks the coordinator whether the channel may still be used: if not the answer is an error. */
  interface Check {
    Pending start();
  }

  /** Calls of an open file that fit. */
  private static final long FILE_CALLS = 1L << 30;

  /** Of the group's own calls. */
  static BoardPlace ofGroup(Board board) {
    return new BoardPlace(board, 0, 0, Board.END_OF_CALLS - 1, null);
  }

  /**
   * Of a file's calls; null if the group has opened too many before.
   *
   * @param index how many files the group has opened before
   */
  static @Nullable BoardPlace ofFile(Board board, long index, Check check) {
    int region = 1 + (int) (index % (Board.REGIONS - 1));
    long before = index * FILE_CALLS;
    return before + FILE_CALLS >= Board.END_OF_CALLS
        ? null
        : new BoardPlace(board, region, before, FILE_CALLS - 1, check);
  }

  private boolean fits(Meet meet) {
    return meet.sequence() < limit;
  }

  private long number(Meet meet) {
    return before + meet.sequence() + 1;
  }

  /** Comes to a meeting; null if the rank, and so all ranks, must go to the coordinator. */
  Board.@Nullable Visit arrive(Meet meet) {
    return fits(meet)
        ? board.arrive(region, number(meet), BoardEntry.agreed(meet), BoardEntry.contribution(meet))
        : null;
  }

  /** The rank comes to a meeting in another way: all do. */
  void passBy(Meet meet) {
    if (fits(meet)) {
      board.part(region, number(meet));
    }
  }
}
