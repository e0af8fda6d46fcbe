package org.millrace.heritage.testing;

import java.io.IOException;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;

/**
 * A rank that comes late to a synchronizing call, and a mark by which the others can tell whether
 * it had come when they went on. Uses nothing but the rank, so that it is late wherever programs
 * run. Stateless.
 */
public final class Late {

  private static final int ERRANDS = 60;

  private Late() {}

  /** Lets one rank be late, and leaves its mark just before it comes. */
  public static void before(Rank rank, int late, String mark) throws IOException {
    if (rank.number() != late) {
      return;
    }
    for (int i = 0; i < ERRANDS; i++) {
      rank.names().list("");
    }
    Rank alone = rank.alone();
    alone.open(mark, OpenOptions.create()).close();
    alone.leave("");
  }

  /** Whether the late rank had come. */
  public static boolean hasCome(Rank rank, String mark) throws IOException {
    return rank.names().list("").contains(mark);
  }
}
