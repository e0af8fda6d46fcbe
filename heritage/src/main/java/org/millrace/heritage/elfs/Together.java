package org.millrace.heritage.elfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Lets what fails on one rank fail on all, so that nobody waits for it. No state. */
final class Together {

  interface Act {
    void run() throws IOException;
  }

  private Together() {}

  /** Every rank does its part; the first that failed, by number, is what all throw. */
  static void act(Rank rank, Act act) throws IOException {
    Exception own = null;
    String said = "";
    try {
      act.run();
    } catch (IOException e) {
      own = e;
      said = MillraceException.wrap(ErrorCode.DISK, e).code().name() + " " + e;
    } catch (RuntimeException e) {
      own = e;
      said = ErrorCode.INVALID.name() + " " + e;
    }
    List<byte[]> all = rank.allGather(said.getBytes(StandardCharsets.UTF_8));
    for (int r = 0; r < all.size(); r++) {
      if (all.get(r).length > 0) {
        String told = new String(all.get(r), StandardCharsets.UTF_8);
        int blank = told.indexOf(' ');
        ErrorCode code = ErrorCode.valueOf(told.substring(0, blank));
        var e = MillraceException.of(code, "rank " + r + ": " + told.substring(blank + 1));
        if (own != null) {
          e.addSuppressed(own);
        }
        throw e;
      }
    }
  }
}
