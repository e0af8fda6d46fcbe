package org.millrace.scenario;

import java.io.IOException;
import org.millrace.client.Rank;

/** Looks at who waits, as anybody can who asks the coordinator. Stateless. */
final class Waiting {

  private static final int MAX_LOOKS = 500_000;

  private Waiting() {}

  /** Whether a rank of any group waits in a call of this name, or in a part of it. */
  static boolean isIn(World world, String call, int rank) throws IOException {
    return world.waits().stream()
        .filter(wait -> wait.rank() == rank)
        .anyMatch(wait -> wait.call().startsWith(call + " ") || wait.call().startsWith(call + ":"));
  }

  /** Returns when {@code other} waits in a call; lets others run in between. */
  static void until(Rank rank, World world, String call, int other) throws IOException {
    Rank alone = rank.alone();
    for (int looks = 0; !isIn(world, call, other); looks++) {
      if (looks == MAX_LOOKS) {
        throw new AssertionError("rank " + other + " is not in " + call + " but " + world.waits());
      }
      alone
          .barrier(); // a meeting with oneself is the shortest way to pass some time in every world
      world.pause(); // ranks that gather are seen when they have waited for a while
    }
  }

  /**
   * Throws if {@code other}, which was seen in a call, gets on to a barrier of its group behind it:
   * then the call only left word that it was made.
   */
  static void checkStays(Rank rank, World world, String call, int other, int maxLooks)
      throws IOException {
    Rank alone = rank.alone();
    for (int looks = 0; looks < maxLooks; looks++) {
      if (isIn(world, "barrier", other)) {
        throw new AssertionError("rank " + other + " did not wait in " + call);
      }
      alone.barrier();
      Thread.yield();
    }
  }
}
