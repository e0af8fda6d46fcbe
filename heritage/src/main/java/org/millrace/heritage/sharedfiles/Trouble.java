package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Lets what fails on one rank fail on all, so that nobody goes on alone. No state. */
final class Trouble {

  private static final byte[] NONE = {};

  interface Act {
    void run() throws IOException;
  }

  private Trouble() {}

  static void onRankZero(Rank rank, Act act) throws IOException {
    onAll(
        rank,
        () -> {
          if (rank.number() == 0) {
            act.run();
          }
        });
  }

  /** Every rank does its part; the first that failed, by number, is what all throw. */
  static void onAll(Rank rank, Act act) throws IOException {
    IOException own = null;
    byte[] said = NONE;
    try {
      act.run();
    } catch (IOException e) {
      own = e;
      MillraceException told = MillraceException.wrap(ErrorCode.DISK, e);
      said = (told.code().name() + " " + e).getBytes(StandardCharsets.UTF_8);
    }
    List<byte[]> all = rank.allGather(said);
    for (int r = 0; r < all.size(); r++) {
      if (all.get(r).length > 0) {
        throw together(new String(all.get(r), StandardCharsets.UTF_8), r, own);
      }
    }
  }

  private static MillraceException together(String said, int r, @Nullable IOException own) {
    int blank = said.indexOf(' ');
    ErrorCode code = ErrorCode.valueOf(said.substring(0, blank));
    MillraceException e =
        MillraceException.of(code, "rank " + r + ": " + said.substring(blank + 1));
    if (own != null) {
      e.addSuppressed(own);
    }
    return e;
  }
}
