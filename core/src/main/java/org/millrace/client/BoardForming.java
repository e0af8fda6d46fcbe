package org.millrace.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Board;
import org.millrace.message.Boards;

/**
 * Finds out whether all ranks of a new group can reach one board: rank 0 allocates memory and sends
 * its name to all, each rank tries to map it, and all learn whether all succeeded. These are three
 * meetings at the coordinator for every rank, so that no rank decides alone.
 */
final class BoardForming {

  private BoardForming() {}

  /** The group's board; null if it has none. All ranks come here together. */
  static @Nullable Board form(Session session, Channel channel, int rank, int size) {
    Boards boards = session.boards();
    if (boards == null || size == 1 || size > Board.MAX_RANKS) {
      return null;
    }
    try (Boards.Offer offer = rank == 0 ? boards.offer(size) : Boards.Offer.NONE) {
      Channel.Meeting place = tell(channel, "board: place", offer.place());
      Channel.Meeting chance = tell(channel, "board: chance", offer.chance());
      long where = place.met().values().getFirst();
      Board found = boards.find(where, chance.met().values().getFirst(), size, rank);
      Channel.Meeting mapped = tell(channel, "board: mapped", found == null ? 0 : 1);
      return mapped.met().values().stream().allMatch(one -> one == 1) ? found : null;
    } catch (IOException e) {
      return null; // on all ranks: they learn what is wrong when they meet next
    }
  }

  private static Channel.Meeting tell(Channel channel, String call, long value) {
    return channel.start(new Channel.Call(call, 0, "", value, Channel.NO_EFFECT), true);
  }
}
