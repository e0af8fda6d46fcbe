package org.millrace.heritage.kotz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;

/** How processes find out that they ask for the same, or that one has failed. Stateless. */
final class Agreement {

  /** What process 0 does for all. */
  interface Act {
    void run() throws IOException;
  }

  private Agreement() {}

  /** Process 0 acts, the others wait; what it fails with all throw. Synchronizing. */
  static void onProcessZero(Rank rank, Act act) throws IOException {
    MillraceException own = null;
    String said = "";
    if (rank.number() == 0) {
      try {
        act.run();
      } catch (IOException e) {
        own = MillraceException.wrap(ErrorCode.DISK, e);
        said = own.code().name() + " " + e.getMessage();
      }
    }
    byte[] told = rank.broadcast(0, said.getBytes(StandardCharsets.UTF_8));
    if (own != null) {
      throw own;
    }
    if (told.length > 0) {
      String failure = new String(told, StandardCharsets.UTF_8);
      int blank = failure.indexOf(' ');
      ErrorCode code = ErrorCode.valueOf(failure.substring(0, blank));
      throw MillraceException.of(code, "process 0: " + failure.substring(blank + 1));
    }
  }

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
