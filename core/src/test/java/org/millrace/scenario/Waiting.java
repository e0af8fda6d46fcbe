package org.millrace.scenario;

import java.io.IOException;
import org.millrace.client.Rank;

/** Looks at who waits, as anybody can who asks the coordinator. Stateless. */
final class Waiting {

  private Waiting() {}

  /** Whether a rank of any group waits in a call whose name starts so. */
  static boolean isIn(World world, String call, int rank) throws IOException {
    return world.waits().stream()
        .anyMatch(wait -> wait.rank() == rank && wait.call().startsWith(call));
  }

  /** Returns when {@code other} waits in a call; lets others run in between. */
  static void until(Rank rank, World world, String call, int other) throws IOException {
    Rank alone = rank.alone();
    while (!isIn(world, call, other)) {
      alone.barrier(); // a meeting with oneself is the shortest way to pass some time in every world
      Thread.yield();
    }
  }
}
