package org.millrace.heritage.kotz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.error.MixedCallException;

/** How processes find out that they ask for the same. Stateless. */
final class Agreement {

  private Agreement() {}

  /** Fails on all processes if what they say differs. Synchronizing. */
  static void check(Rank rank, String call, String mine) throws IOException {
    List<String> all =
        rank.allGather((call + ": " + mine).getBytes(StandardCharsets.UTF_8)).stream()
            .map(one -> new String(one, StandardCharsets.UTF_8))
            .toList();
    for (int r = 1; r < all.size(); r++) {
      if (!all.get(r).equals(all.getFirst())) {
        throw new MixedCallException(
            "process 0 says %s, process %d %s".formatted(all.getFirst(), r, all.get(r)));
      }
    }
  }
}
